"""The example servers and the client of the Python SDK, as it comes: with its own check of structured content."""

import json
import os
import unittest
from pathlib import Path

from mcp import Client
from mcp.client.stdio import StdioServerParameters

CASES = json.loads(Path(__file__).with_name("cases.json").read_text())


def seen(result, expected):
    """What the cases tell of a result. The text is left out where it is for the server's SDK to choose."""
    (content,) = result.content
    told = {"isError": bool(result.is_error)}
    if "text" in expected:
        told["text"] = content.text
    if result.structured_content is not None:
        told["structuredContent"] = result.structured_content
    issues = (result.meta or {}).get("microschema/issues")
    if issues is not None:
        told["issues"] = issues
    return told


class Calls(unittest.IsolatedAsyncioTestCase):
    maxDiff = None

    async def calls(self, group, server, version):
        mode = "legacy" if version == "2025-11-25" else version
        if group["transport"] == "stdio":
            place = StdioServerParameters(command=str(Path(os.environ["EXAMPLES"], server)))
        else:
            place = os.environ["ADDRESS"]
        async with Client(place, mode=mode) as client:
            self.assertEqual(client.protocol_version, version)
            listed = await client.list_tools()
            self.assertTrue(any(tool.name == "read_sensor" and tool.output_schema for tool in listed.tools))
            for case in group["calls"]:
                with self.subTest(case["name"]):
                    result = await client.call_tool(case["tool"], case.get("arguments"))
                    self.assertEqual(seen(result, case["result"]), case["result"])


def test(*arguments):
    async def run(self):
        await self.calls(*arguments)

    return run


for group in CASES["groups"]:
    for server, versions in group["servers"].items():
        for version in versions:
            setattr(Calls, f"test_{server}_{version}", test(group, server, version))

if __name__ == "__main__":
    unittest.main(verbosity=2)
