"""LangGraph's turns a second over 64 threads: a person answers, a node runs and asks again, kept by its SQLite saver."""

import asyncio
import operator
import os
import tempfile
import time
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

THREADS, TURNS = 64, 10
QUESTION, ANSWER = "question " * 90, "answer " * 57


class Talk(TypedDict):
    said: Annotated[list, operator.add]


def think(_):
    return {"said": [QUESTION]}


def ask(state):
    return {"said": [interrupt({"content": state["said"][-1]})]}


async def main():
    graph = StateGraph(Talk).add_node("think", think).add_node("ask", ask)
    graph.add_edge(START, "think").add_edge("think", "ask").add_edge("ask", "think")
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncSqliteSaver.from_conn_string(os.path.join(folder, "talk.db")) as saver:
            app = graph.compile(checkpointer=saver)

            async def all_threads(said):
                each = ({"configurable": {"thread_id": str(n)}} for n in range(THREADS))
                await asyncio.gather(*(app.ainvoke(said, thread) for thread in each))

            await all_threads({"said": []})
            begin = time.perf_counter()
            for _ in range(TURNS):
                await all_threads(Command(resume=ANSWER))
            print(THREADS * TURNS / (time.perf_counter() - begin))


asyncio.run(main())
