"""Calls that the schemas forbid, and what comes of them: first without microschema, then with it. The README shows the output."""

import asyncio
import json

from device import Device, parse_arguments
from mcp import Client, StdioServerParameters

NAMES = ["serde alone", "microschema"]

CALLS = [
    # No such day, and too hot.
    ("schedule", {"date": "2026-02-31", "steps": [{"kind": "hold", "celsius": 90, "minutes": 60}]}),
    # A member that is not declared, and matters.
    ("write_register", {"register": 3, "value": "0x1f", "dry_run": True}),
    # The sensor is off its cable.
    ("read_temperature", {"sensor": "attic"}),
]


async def answers(arguments, image):
    device = Device(arguments, image)
    server = StdioServerParameters(command=device.command, args=device.arguments)
    async with Client(server, read_timeout_seconds=60) as client:
        for name, given in CALLS:
            result = await client.call_tool(name, given)
            first, *lines = result.content[0].text.splitlines()
            yield " ".join(lines) if result.is_error else first


async def main():
    arguments = parse_arguments(__doc__)
    columns = [[answer async for answer in answers(arguments, image)] for image in arguments.image]
    for (tool, given), *rows in zip(CALLS, *columns):
        print(f"{tool} {json.dumps(given)}")
        for name, answer in zip(NAMES, rows):
            print(f"  {name}: {answer}")


if __name__ == "__main__":
    asyncio.run(main())
