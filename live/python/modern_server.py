"""A small server on the Python SDK v2, for `cargo xtask live`.

One process serves one stdio connection, in whichever protocol era the client opens it with, or with a port as its
argument HTTP at /mcp on the loopback interface, where a legacy client gets a session.
Its twin is ../node/servers/build.mjs: same names, same answers where the SDKs allow.
"""

import sys
from typing import Annotated, Literal

import anyio
import uvicorn
from mcp.server.caching import CacheHint
from mcp.server.mcpserver import Context, Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import (
    CallToolResult,
    Completion,
    CreateMessageResult,
    ListRootsResult,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    SamplingMessage,
    TextContent,
)
from pydantic import BaseModel, Field

server = MCPServer(
    "live-modern-py",
    instructions="A test peer.",
    log_level="WARNING",
    cache_hints={
        "tools/list": CacheHint(ttl_ms=60_000, scope="public"),
        "resources/read": CacheHint(ttl_ms=5_000, scope="private"),
    },
)


# --- plain calls ------------------------------------------------------------------------------------------------


@server.tool(structured_output=False)
def echo(text: str) -> str:
    """Returns its text."""
    return text


class Sum(BaseModel):
    sum: int


@server.tool()
def add(a: int, b: int) -> Sum:
    """Adds two integers."""
    return Sum(sum=a + b)


@server.tool()
def primes(count: Annotated[int, Field(ge=0, le=5)], ctx: Context) -> CallToolResult:
    """The first primes, as a structured result that is an array (an object before 2026-07-28)."""
    found = [2, 3, 5, 7, 11][:count]
    modern = ctx.protocol_version >= "2026-07-28"
    return CallToolResult(
        content=[TextContent(text=" ".join(map(str, found)))],
        structured_content=found if modern else {"result": found},
    )


@server.tool()
def fail(reason: str) -> None:
    """Always fails."""
    raise ToolError(f"failed: {reason}")


@server.tool()
def nothing() -> CallToolResult:
    """Answers with no content at all."""
    return CallToolResult(content=[])


# --- calls that speak while they run ----------------------------------------------------------------------------


@server.tool(structured_output=False)
async def count(steps: Annotated[int, Field(ge=1, le=100)], ctx: Context) -> str:
    """Reports one progress step after another."""
    for step in range(1, steps + 1):
        await ctx.report_progress(step, steps, f"step {step}")
    return f"counted to {steps}"


@server.tool(structured_output=False)
async def log(level: Literal["debug", "info", "warning", "error"], message: str, ctx: Context, unasked: bool = False) -> str:
    """Sends one log message: by the SDK, which keeps to the level the client asked for, or past it (unasked)."""
    if unasked:
        params = LoggingMessageNotificationParams(level=level, logger="live", data=message)
        await ctx.session.send_notification(LoggingMessageNotification(params=params), related_request_id=ctx.request_id)
    else:
        await ctx.log(level, message, logger_name="live")
    return "logged"


slow_calls: list[str] = []  # what became of every slow call, in order


@server.tool(structured_output=False)
async def slow(ms: Annotated[int, Field(ge=0)], ctx: Context) -> str:
    """Reports one progress step, then waits. Its end is recorded for slow_report."""
    await ctx.report_progress(1, 2)
    mine = len(slow_calls)
    slow_calls.append("running")
    try:
        await anyio.sleep(ms / 1000)
        slow_calls[mine] = "finished"
    except anyio.get_cancelled_exc_class():
        slow_calls[mine] = "cancelled"
        raise
    return slow_calls[mine]


@server.tool(structured_output=False)
def slow_report() -> str:
    """How each slow call ended: running, finished or cancelled."""
    return " ".join(slow_calls)


# --- calls that ask the client ----------------------------------------------------------------------------------
# Written once. On 2026-07-28 the SDK returns input rounds, before that it sends real requests to the client.


class Name(BaseModel):
    name: str = Field(description="Your name")


class Colour(BaseModel):
    colour: Literal["red", "green", "blue"]


def ask_name() -> Elicit[Name]:
    return Elicit("What is your name?", Name)


def ask_colour(name: Annotated[Name, Resolve(ask_name)]) -> Elicit[Colour]:
    return Elicit(f"Which colour, {name.name}?", Colour)


@server.tool(structured_output=False)
def ask(name: Annotated[Name, Resolve(ask_name)], colour: Annotated[Colour, Resolve(ask_colour)]) -> str:
    """Asks for a name, then in a second round for a colour."""
    return f"{name.name} likes {colour.colour}"


def sample(prompt: str) -> Sample:
    return Sample([SamplingMessage(role="user", content=TextContent(text=prompt))], max_tokens=50)


@server.tool(structured_output=False)
def ask_model(prompt: str, answer: Annotated[CreateMessageResult, Resolve(sample)]) -> str:
    """Asks the client for a sample of its model."""
    return f"model said: {answer.content.text}"


def roots() -> ListRoots:
    return ListRoots()


@server.tool(structured_output=False)
def ask_roots(known: Annotated[ListRootsResult, Resolve(roots)]) -> str:
    """Asks the client for its roots."""
    return "roots: " + " ".join(str(root.uri) for root in known.roots)


# --- a list that changes, resources, a prompt --------------------------------------------------------------------


def extra() -> str:
    """Listed only after toggle."""
    return "extra"


extra_listed = False


@server.tool(structured_output=False)
async def toggle(ctx: Context) -> str:
    """Lists the tool extra, or hides it again."""
    global extra_listed
    extra_listed = not extra_listed
    if extra_listed:
        server.add_tool(extra, structured_output=False)
    else:
        server.remove_tool("extra")
    await ctx.notify_tools_changed()  # subscribers, 2026-07-28
    await ctx.session.send_tool_list_changed()  # everybody, before
    return f"extra is {'listed' if extra_listed else 'hidden'}"


touched = 0


@server.resource("note://counter", name="counter", mime_type="text/plain")
def counter() -> str:
    return f"touched {touched}"


@server.resource("note://by-id/{id}", name="note", mime_type="text/plain")
def note(id: str) -> str:
    return f"note {id}"


@server.tool(structured_output=False)
async def touch(ctx: Context) -> str:
    """Changes note://counter."""
    global touched
    touched += 1
    await ctx.notify_resource_updated("note://counter")
    return f"touched {touched}"


@server.prompt()
def review(code: str, language: str) -> str:
    """Asks for a review."""
    return f"Review this {language}: {code}"


@server.completion()
async def complete(ref, argument, context):
    known = ["python", "pascal", "rust"] if argument.name == "language" else []
    return Completion(values=[value for value in known if value.startswith(argument.value)])


# --- HTTP -------------------------------------------------------------------------------------------------------


def noting(app):
    """Says on stderr how every request that is no POST is answered."""

    async def noted(scope, receive, send):
        async def note(message):
            if message["type"] == "http.response.start" and scope["method"] != "POST":
                print(f"{scope['method']} is answered {message['status']}", file=sys.stderr, flush=True)
            await send(message)

        await app(scope, receive, note if scope["type"] == "http" else send)

    return noted


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            server.run("stdio")
        case [port]:
            uvicorn.run(noting(server.streamable_http_app()), host="127.0.0.1", port=int(port), log_level="warning")
