"""Graphs that ask a person in every shape there is, one after the other, side by side and within each other."""

import operator
from typing import Annotated

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    task: str
    answers: Annotated[list, operator.add]


ARGS = {"to": "bo@example.org", "amount": 1.0, "count": 3, "big": 9007199254740993, "deep": {"x": None, "y": [True]}}
CONFIG = {"allow_ignore": True, "allow_respond": True, "allow_edit": True, "allow_accept": True}
BARE = {"action_request": {"action": "send_mail", "args": ARGS}, "config": CONFIG, "description": "Send it?"}


def alone(ask):
    graph = StateGraph(State)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    graph.add_edge("ask", END)
    return graph.compile()


def single(*asked):
    def ask(state: State):
        return {"answers": [interrupt(value) for value in asked]}

    return alone(ask)


def first_of(request):
    """As Agent Inbox's own examples read the answer."""

    def ask(state: State):
        return {"answers": [interrupt(request)[0]["type"]]}

    return alone(ask)


listed = single([BARE])
bare = single(BARE)
first_of_listed = first_of([BARE])
first_of_bare = first_of(BARE)
free = single({"question": "Which colour?"})
twice = single("first?", "second?")


def side(name, value):
    def ask(state: State):
        return {"answers": [{name: interrupt(value)}]}

    return ask


def both(left, right):
    graph = StateGraph(State)
    for name, value in [("left", left), ("right", right)]:
        graph.add_node(name, side(name, value))
        graph.add_edge(START, name)
        graph.add_edge(name, END)
    return graph.compile()


parallel = both([BARE], "How old are you?")
two_free = both({"question": "Which colour?"}, {"question": "Which size?"})

around = StateGraph(State)
around.add_node("inner", single(BARE))
around.add_edge(START, "inner")
around.add_edge("inner", END)
nested = around.compile()


class Caller(BaseChatModel):
    """A model that calls two tools once."""

    @property
    def _llm_type(self) -> str:
        return "caller"

    def bind_tools(self, tools, **kwargs):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        if any(isinstance(message, ToolMessage) for message in messages):
            return ChatResult(generations=[ChatGeneration(message=AIMessage("all done"))])
        calls = [
            {"name": "send_mail", "args": {"to": "bo@example.org", "score": 1.0}, "id": "call_1"},
            {"name": "delete_file", "args": {"path": "/x"}, "id": "call_2"},
        ]
        return ChatResult(generations=[ChatGeneration(message=AIMessage("", tool_calls=calls))])


def send_mail(to: str, score: float) -> str:
    """Sends a mail."""
    return f"sent to {to} with {score!r}"


def delete_file(path: str) -> str:
    """Deletes a file."""
    return f"deleted {path}"


def agent(**how):
    asks = {"send_mail": True, "delete_file": {"allowed_decisions": ["approve", "reject"]}}
    middleware = [HumanInTheLoopMiddleware(interrupt_on=asks, **how)]
    return create_agent(Caller(), [send_mail, delete_file], middleware=middleware)


batched = agent()
per_call = agent(interrupt_mode="per_call")
