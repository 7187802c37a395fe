"""What both kinds of client are made of."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from . import __version__
from .types import Path

if TYPE_CHECKING:
    import asyncio

    from ._connection import Connection
    from ._link import Lost, Receive


def name() -> str:
    """How this client introduces itself."""
    return f"talaria-python {__version__}"


def local(
    threaded: bool,
    program: Path | None,
    target: str | None,
    cwd: str | None,
    home: Path | None,
    env: Mapping[str, str | None] | None,
) -> Connection:
    """A connection to a program of this machine."""
    from ._connection import Connection
    from ._local import LocalLink
    from ._program import find_program

    argv = [find_program(program), "call", "--lines"]
    if target is not None:
        argv.append(f"--target={target}")
    if cwd is not None:
        argv.append(f"--cwd={cwd}")
    variables: dict[str, str | None] = dict(env or {})
    if home is not None:
        variables["TALARIA_HOME"] = os.fspath(home)

    def link(loop: asyncio.AbstractEventLoop, receive: Receive, lost: Lost) -> LocalLink:
        return LocalLink(loop, receive, lost, argv, variables or None)

    return Connection(link, _loop(threaded))


def gateway(threaded: bool, url: str, token: str, ca: Path | None, timeout: float) -> Connection:
    """A connection to a gateway."""
    from ._connection import Connection
    from ._gateway import Address, GatewayLink

    address = Address.parse(url, token, os.fspath(ca) if ca is not None else None, timeout)

    def link(loop: asyncio.AbstractEventLoop, receive: Receive, lost: Lost) -> GatewayLink:
        return GatewayLink(loop, receive, lost, address)

    return Connection(link, _loop(threaded), remote=True)


def _loop(threaded: bool) -> Callable[[], asyncio.AbstractEventLoop]:
    if threaded:
        from ._loop import background_loop

        return background_loop
    from ._connection import one_loop

    return one_loop()
