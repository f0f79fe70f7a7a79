"""What the official Python client gets from the device, in both eras of the protocol, and what the device logs meanwhile.

The client knows nothing of the device: it launches QEMU as any server over stdio.
"""

import asyncio
import json
import sys

from device import Device, parse_arguments
from mcp import Client, MCPError, StdioServerParameters

TIMEOUT = 60

CALLS = [
    (
        "schedule",
        {
            "date": "2026-12-01",
            "steps": [
                {"kind": "ramp", "points": [[0, 17], [45, 21]]},
                {"kind": "hold", "celsius": 21, "minutes": 600},
                {"kind": "off", "minutes": 60},
            ],
        },
    ),
    # No such day, too hot, and a member that is not declared.
    ("schedule", {"date": "2026-02-31", "steps": [{"kind": "hold", "celsius": 90, "minutes": 60, "forever": True}]}),
    # A point with three numbers, one of them in quotes: in the branch that `kind` chooses.
    ("schedule", {"date": "2026-12-01", "steps": [{"kind": "ramp", "points": [[0, 17], [45, "21", 0]]}]}),
    ("schedule", {"date": "2026-12-01", "steps": [{"kind": "boost"}]}),
    ("schedule", None),
    ("write_register", {"register": 3, "value": "0x1f"}),
    ("write_register", {"register": 3, "value": "0xbeef"}),
    ("write_register", {"register": 16, "value": "1F"}),
    # An integer to the schema, and to the client's JSON; not to the type that it is read as.
    ("write_register", {"register": 3.0, "value": "0x1f"}),
    ("read_temperature", {"sensor": "flow"}),
    # The device's own mistake: the sensor is off its cable.
    ("read_temperature", {"sensor": "attic"}),
    ("read_temperature", {"sensor": "cellar"}),
    ("self_destruct", {}),
]


def say(text, indent=""):
    for line in text.splitlines():
        print(f"{indent}{line}")


async def answer(device, what, request):
    """Shows a request, its answer, and the log."""
    print(f"> {what}")
    try:
        say(await request, "  ")
    except MCPError as error:
        say(f"error {error.error.code}: {error.error.message}", "  ")
    for line in device.new_log_lines():
        say(f"log: {line}", "  ")


async def call(client, name, arguments):
    result = await client.call_tool(name, arguments)
    text = "\n".join(item.text for item in result.content)
    issues = (result.meta or {}).get("microschema/issues")
    lines = ["is an error" if result.is_error else "is done", text]
    if result.structured_content is not None:
        lines.append(f"structured: {json.dumps(result.structured_content)}")
    if issues is not None:
        lines += [f"issue: {issue['keyword']} {json.dumps(issue['path'])}" for issue in issues]
    return "\n".join(lines)


async def page(client, cursor):
    result = await client.list_tools(cursor=cursor)
    return f"{', '.join(tool.name for tool in result.tools)}; next {result.next_cursor}"


async def unknown_method(client):
    await client.list_prompts()


async def ping(client):
    await client.send_ping()
    return "is alive"


async def session(device, mode):
    server = StdioServerParameters(command=device.command, args=device.arguments)
    device.forget_log()
    async with Client(server, mode=mode, read_timeout_seconds=TIMEOUT) as client:
        info = client.server_info
        print(f"== {client.protocol_version}, with {info.name} {info.version}")
        for line in device.new_log_lines():
            say(f"log: {line}", "  ")
        await answer(device, "tools/list", page(client, None))
        await answer(device, "tools/list 1", page(client, "1"))
        await answer(device, "tools/list x", page(client, "x"))
        for name, arguments in CALLS:
            shown = "" if arguments is None else f" {json.dumps(arguments)}"
            await answer(device, f"tools/call {name}{shown}", call(client, name, arguments))
        await answer(device, "prompts/list", unknown_method(client))
        if mode == "legacy":
            # Removed in 2026-07-28.
            await answer(device, "ping", ping(client))


async def main():
    arguments = parse_arguments(__doc__)
    device = Device(arguments, arguments.image[0])
    for mode in ("legacy", "auto"):
        await session(device, mode)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
