"""The firmware under QEMU: how it is started, and what it logs."""

import argparse
import subprocess
import tempfile
from pathlib import Path


class Device:
    """A command line of QEMU whose standard input and output are the device's UART."""

    def __init__(self, arguments, image):
        self._decode = [arguments.decode, image]
        self._log = Path(tempfile.mkdtemp(prefix="firmware-")) / "frames"
        self._shown = 0
        self.command, *machine = arguments.qemu
        self.arguments = [
            *machine,
            *("-display", "none", "-monitor", "none"),
            *("-chardev", "stdio,id=uart,signal=off", "-serial", "chardev:uart"),
            *("-chardev", f"file,id=log,path={self._log}"),
            *("-semihosting-config", "enable=on,target=native,chardev=log"),
            *("-kernel", image),
        ]

    def new_log_lines(self):
        """What was logged since this was asked the last time: the frames of defmt, decoded."""
        decoded = subprocess.run(self._decode, input=self._log.read_bytes(), capture_output=True, check=True)
        lines = decoded.stdout.decode().splitlines()
        new, self._shown = lines[self._shown :], len(lines)
        return new

    def forget_log(self):
        """Another run of the device starts its log anew."""
        self._shown = 0


def parse_arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--decode", required=True, help="the decoder of its log")
    parser.add_argument("--image", required=True, action="append", help="the firmware; of several, one after the other")
    parser.add_argument("qemu", nargs="+", help="QEMU, and the machine")
    return parser.parse_args()
