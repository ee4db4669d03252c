"""Talks to `sayso mcp` with the official SDK, and answers its questions with the command line.

Called with the program and a data folder. It prints what it did, and "all is well" at the end.
"""

import json
import subprocess
import sys

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

SAYSO, DATA = sys.argv[1], sys.argv[2]


def sayso(*args):
    said = subprocess.run([SAYSO, "--data", DATA, "--json", *args], capture_output=True, text=True, timeout=120)
    assert said.returncode == 0, (args, said)
    return json.loads(said.stdout)


async def the_one():
    with anyio.fail_after(60):
        while True:
            items = await anyio.to_thread.run_sync(sayso, "list")
            if len(items) == 1:
                return items[0]
            await anyio.sleep(0.05)


def given(result):
    found = getattr(result, "structured_content", None) or getattr(result, "structuredContent", None)
    assert found is not None, result
    return found


async def answered(session, tool, arguments, *decision, **more):
    """Calls a tool and decides what it asks meanwhile."""
    told = []

    async def call():
        told.append(await session.call_tool(tool, arguments, **more))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call)
        item = await the_one()
        await anyio.to_thread.run_sync(lambda: sayso(decision[0], item["id"], *decision[1:]))
    return item, given(told[0])


async def main():
    server = StdioServerParameters(command=SAYSO, args=["--data", DATA, "mcp"])
    async with stdio_client(server) as (reads, writes), ClientSession(reads, writes) as session:
        hello = await session.initialize()
        print("initialized:", hello)
        tools = [tool.name for tool in (await session.list_tools()).tools]
        assert tools == ["ask_person", "request_approval", "notify_person", "approve_tool_call", "check_answer"], tools

        progress = []

        async def noted(done, total, message):
            progress.append((done, message))

        item, told = await answered(
            session, "ask_person", {"question": "Which region?"}, "respond", "eu", progress_callback=noted
        )
        assert item["source"].startswith("request: "), item
        assert (told["type"], told["args"]) == ("respond", "eu"), told
        assert progress and "ticket" in progress[0][1], progress

        approval = {"title": "Deploy", "action": "deploy", "arguments": {"env": "prod"}}
        _, told = await answered(session, "request_approval", approval, "edit", "--set", "env=stage")
        assert told["args"] == {"env": "stage"}, told
        _, told = await answered(session, "request_approval", approval, "ignore")
        assert told["type"] == "ignore", told

        told = given(await session.call_tool("ask_person", {"question": "Later?", "wait_seconds": 0.2}))
        assert told["answered"] is False, told
        sayso("respond", told["ticket"], "tomorrow")
        told = given(await session.call_tool("check_answer", {"ticket": told["ticket"]}))
        assert (told["type"], told["args"]) == ("respond", "tomorrow"), told

        told = given(await session.call_tool("notify_person", {"title": "Done"}))
        sayso("accept", told["ticket"])

        # A call that is cancelled takes its question back.
        with anyio.move_on_after(30) as scope:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(session.call_tool, "ask_person", {"question": "Never mind?"})
                await the_one()
                tasks.cancel_scope.cancel()
        assert not scope.cancelled_caught
        with anyio.fail_after(60):
            while sayso("list"):
                await anyio.sleep(0.05)

        wrong = await session.call_tool("ask_person", {"question": " "})
        assert getattr(wrong, "is_error", None) or getattr(wrong, "isError", None), wrong
    print("all is well")


anyio.run(main)
