"""What the device logs when it starts, and that it answers then."""

import asyncio

from device import Device, parse_arguments
from mcp import Client, StdioServerParameters


async def main():
    arguments = parse_arguments(__doc__)
    device = Device(arguments, arguments.image[0])
    server = StdioServerParameters(command=device.command, args=device.arguments)
    async with Client(server, read_timeout_seconds=60) as client:
        print("\n".join(device.new_log_lines()))
        print(", ".join(tool.name for tool in (await client.list_tools()).tools))


if __name__ == "__main__":
    asyncio.run(main())
