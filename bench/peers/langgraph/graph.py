"""An agent's turn without model time: a tool call, its constant result, a text of five chunks."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

TEXT = ["The ", "query ", "returned ", "one ", "row."]


@tool
async def run_sql(statement: str) -> str:
    """Runs one statement and returns its rows as JSON."""
    return '{"columns": ["1"], "rows": [[1]]}'


class ScriptedModel(BaseChatModel):
    """Answers at once: a call of the tool, and after its result the text."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        chunks = script(messages)
        whole = sum(chunks[1:], chunks[0])
        message = AIMessage(content=whole.content, tool_calls=whole.tool_calls)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        for chunk in script(messages):
            yield ChatGenerationChunk(message=chunk)

    async def _astream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in script(messages):
            yield ChatGenerationChunk(message=chunk)


def script(messages: list[BaseMessage]) -> list[AIMessageChunk]:
    if isinstance(messages[-1], ToolMessage):
        return [AIMessageChunk(content=part) for part in TEXT]
    call = {"name": "run_sql", "args": '{"statement": "SELECT 1"}', "id": "call_1", "index": 0}
    return [AIMessageChunk(content="", tool_call_chunks=[call])]


model = ScriptedModel()


async def call_model(state: MessagesState) -> dict[str, list[BaseMessage]]:
    return {"messages": [await model.ainvoke(state["messages"])]}


builder = StateGraph(MessagesState)
builder.add_node("model", call_model)
builder.add_node("tools", ToolNode([run_sql]))
builder.add_edge(START, "model")
builder.add_conditional_edges("model", tools_condition)
builder.add_edge("tools", "model")
graph = builder.compile()
