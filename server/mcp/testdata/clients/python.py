"""Asks a server over Streamable HTTP through MCP's official Python SDK: python.py URL TOKEN, once with the handshake of
the older revisions and once without.

Standard output gets what came back, as JSON.
"""

import asyncio
import json
import sys

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

THRESHOLD = "nomograph://threshold/rollout_percent_first"


async def ask(url, token, mode):
    said = {}
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            said["revision"] = client.protocol_version
            said["tools"] = [tool.name for tool in (await client.list_tools()).tools]
            policy = await client.call_tool("get_threshold", {"name": "rollout_percent_first"})
            said["value"] = policy.structured_content["value"]
            missing = await client.call_tool("get_threshold", {"name": "none"})
            said["missing"] = [missing.is_error, json.loads(missing.content[0].text)["error"]]
            verdict = await client.call_tool("check_action", {"description": "Deploy", "stakes": "high", "confidence": 0.1})
            said["allowed"], said["agent"] = verdict.structured_content["allowed"], verdict.structured_content["agent_id"]
            said["resource"] = json.loads((await client.read_resource(THRESHOLD)).contents[0].text)["value"]
            said["prompts"] = [prompt.name for prompt in (await client.list_prompts()).prompts]
            try:
                await client.call_tool("no_such_tool", {})
            except MCPError as error:
                said["unknown"] = error.error.code
            if mode != "legacy":
                async with client.listen(resource_subscriptions=[THRESHOLD]) as events:
                    await client.call_tool("set_threshold", {"name": "rollout_percent_first", "value": 7, "reason": "tried out"})
                    with anyio.fail_after(20):
                        async for event in events:
                            said["told"] = event.uri
                            break
    return said


async def main(url, token):
    print(json.dumps([await ask(url, token, "legacy"), await ask(url, token, "auto")]))


asyncio.run(main(*sys.argv[1:]))
