"""What the device makes of lines that no honest client sends: each is answered or dropped, by name, and a ping afterwards is answered.

Speaks to QEMU's standard input and output directly, as an SDK would not let such bytes through.
"""

import json
import os
import select
import subprocess
import sys
import time

from device import Device, parse_arguments

TIMEOUT = 300
# Of an answer that is shown whole.
SHOWN = 300


def request(method, id="1", **params):
    return b'{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}\n' % (
        id.encode(),
        method.encode(),
        json.dumps(params).encode(),
    )


def call(arguments, name=b'"write_register"', id=b"1"):
    return b'{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%s,"arguments":%s}}\n' % (id, name, arguments)


def nested(levels):
    return b"[" * levels + b"]" * levels


PING = request("ping")
GOOD = call(b'{"register":1,"value":"0x1"}')
META = b'"_meta":{"io.modelcontextprotocol/protocolVersion":%s,"io.modelcontextprotocol/clientCapabilities":{}}'

# Name, and the pieces that are written one after the other with a pause between.
CASES = [
    ("a line in pieces of one byte", [PING[i : i + 1] for i in range(len(PING))]),
    ("three messages in one write", [PING + GOOD + PING]),
    ("a message and a half, and the rest", [PING + GOOD[:40], GOOD[40:]]),
    ("carriage returns, empty lines", [b"\r\n\n\r\n" + PING[:-1] + b"\r\n"]),
    ("nothing but zeros", [bytes(64) + b"\n"]),
    ("every byte there is", [bytes(b for b in range(256) if b != 10) + b"\n"]),
    ("a byte order mark", [b"\xef\xbb\xbf" + PING]),
    ("not UTF-8 in a name", [call(b"{}", name=b'"write\xff"')]),
    ("not UTF-8 in arguments", [call(b'{"register":1,"value":"\xc0\xaf"}')]),
    ("half of a surrogate pair", [call(b'{"register":1,"value":"\\ud800"}')]),
    ("a control character in a string", [call(b'{"register":1,"value":"\x00"}')]),
    ("arguments 60 levels deep", [call(b'{"register":%s}' % nested(60))]),
    ("arguments 400 levels deep", [call(b'{"register":%s}' % nested(400))]),
    ("arguments 900 levels deep", [call(b'{"register":%s}' % nested(900))]),
    ("1900 brackets that are never closed", [b"[" * 1900 + b"\n"]),
    ("a notification that is too deep", [b'{"jsonrpc":"2.0","method":"x","params":{"a":%s}}\n' % nested(400)]),
    ("a line that just does not fit", [call(b'{"value":"%s"}' % (b"x" * 2000))]),
    ("a line of 100,000 bytes", [call(b'{"value":"%s"}' % (b"x" * 100_000))]),
    ("two lines too long, glued", [b"x" * 5_000 + b"\n" + b"y" * 5_000 + b"\n"]),
    ("a million digits", [call(b'{"register":%s,"value":"0x1"}' % (b"9" * 1_000_000))]),
    ("as many digits as fit", [call(b'{"register":%s,"value":"0x1"}' % (b"9" * 1_900))]),
    ("a fraction as long as fits", [call(b'{"register":3.%s1,"value":"0x1"}' % (b"0" * 1_900))]),
    ("an exponent of its own class", [call(b'{"register":1e999999999999,"value":"0x1"}')]),
    ("a whole number, spelled strangely", [call(b'{"register":0.3e1,"value":"0x1"}')]),
    ("a message that was cut off", [GOOD[:60] + b"\n"]),
    ("one that was cut off, glued to the next", [GOOD[:60] + PING]),
    ("text behind the message", [PING[:-1] + b" true\n"]),
    ("a batch", [b"[" + PING[:-1] + b"]\n"]),
    ("an id that occurs twice", [b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}\n']),
    ("an id that is null", [b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n']),
    ("an id that is an object", [b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}\n']),
    ("an id of 1,900 characters", [request("ping", id='"%s"' % ("i" * 1900))]),
    ("the same, of a call that is not valid", [call(b"{}", id=b'"%s"' % (b"i" * 1900))]),
    ("an argument that occurs twice", [call(b'{"register":1,"register":99,"value":"0x1"}')]),
    ("the same, spelled in two ways", [call(b'{"register":1,"\\u0072egister":99,"value":"0x1"}')]),
    ("a name that occurs twice", [b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}\n']),
    ("a name of 1,800 characters", [call(b"{}", name=b'"%s"' % (b"n" * 1800))]),
    ("arguments that are a string of JSON", [call(b'"{\\"register\\":1}"')]),
    ("a hundred members that are not declared", [call(b"{%s}" % b",".join(b'"m%d":0' % n for n in range(100)))]),
    ("a cursor beyond all", [request("tools/list", cursor="99999999999999999999")]),
    ("another version of JSON-RPC", [b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n']),
    ("a response to nothing", [b'{"jsonrpc":"2.0","id":1,"result":{}}\n']),
    ("a protocol version of the future", [b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{%s}}\n' % (META % b'"2099-01-01"')]),
    ("a protocol version that is a number", [b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{%s}}\n' % (META % b"7")]),
]


class Wire:
    """The device's UART."""

    def __init__(self, device):
        command = [device.command, *device.arguments]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        os.set_blocking(self._process.stdin.fileno(), False)
        os.set_blocking(self._process.stdout.fileno(), False)
        self._received = b""

    def exchange(self, pieces, is_last):
        """Writes the pieces, and gives the lines that come, up to the one that `is_last`."""
        lines, deadline = [], time.monotonic() + TIMEOUT
        pieces = list(pieces)
        while time.monotonic() < deadline:
            readable, writable, _ = select.select([self._process.stdout], [self._process.stdin] if pieces else [], [], 1)
            if writable:
                try:
                    pieces[0] = pieces[0][os.write(self._process.stdin.fileno(), pieces[0]) :]
                except BlockingIOError:
                    pass
                if not pieces[0]:
                    pieces.pop(0)
                    # So that the device gets the next one by itself.
                    time.sleep(0.002)
            if readable:
                read = os.read(self._process.stdout.fileno(), 1 << 16)
                if not read:
                    sys.exit("the device is gone")
                *complete, self._received = (self._received + read).split(b"\n")
                for line in complete:
                    if is_last(line):
                        return lines
                    lines.append(line)
        sys.exit(f"no answer within {TIMEOUT} s; so far {lines}")

    def close(self):
        self._process.kill()
        self._process.wait()


def shown(line):
    answer = json.loads(line)
    assert answer["jsonrpc"] == "2.0" and ("result" in answer) != ("error" in answer), line
    text = line.decode()
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… {len(text)} characters"


def main():
    arguments = parse_arguments(__doc__)
    device = Device(arguments, arguments.image[0])
    wire = Wire(device)
    silent = []
    for number, (name, pieces) in enumerate(CASES):
        ping = json.dumps(f"ping {number}")
        answers = wire.exchange(
            [*pieces, request("ping", id=ping)], lambda line: line == b'{"jsonrpc":"2.0","id":%s,"result":{}}' % ping.encode()
        )
        log = device.new_log_lines()
        print(f"> {name}: {sum(map(len, pieces))} bytes")
        for line in answers:
            print(f"  {shown(line)}")
        for line in log:
            print(f"  log: {line[:SHOWN]}")
        if not answers and not log:
            silent.append(name)
    wire.close()
    return f"neither answered nor dropped by name: {silent}" if silent else 0


if __name__ == "__main__":
    sys.exit(main())
