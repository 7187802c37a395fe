"""What integrations share: clients, for frameworks that give them no place to keep one, and what
a name of a sandbox says about who made it.

A synchronous client serves a process, an asynchronous one an event loop. Both are made by their
first use and end with the interpreter, or by `end_async`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import subprocess
import threading
import weakref

from talaria import AsyncSandbox, AsyncTalaria, Sandbox, Talaria

log = logging.getLogger("talaria")
HIDDEN = ("/root", "/workspace")  # where Talaria mounts directories of its own
_lock = threading.Lock()
_sync: Talaria | None = None
_async: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncTalaria] = (
    weakref.WeakKeyDictionary()
)


def shared() -> Talaria:
    """The client of this process."""
    global _sync
    with _lock:
        if _sync is None:
            _sync = Talaria()
        return _sync


def shared_async() -> AsyncTalaria:
    """The client of the running event loop."""
    loop = asyncio.get_running_loop()
    client = _async.get(loop)
    if client is None:
        client = _async[loop] = AsyncTalaria()
    return client


async def end_async() -> None:
    """Ends the client of the running event loop. The next use makes another one."""
    client = _async.pop(asyncio.get_running_loop(), None)
    if client is not None:
        await client.close()


def sandbox_name(framework: str, *parts: object) -> str:
    """A name that says which framework made a sandbox, and for what."""
    text = "-".join([framework, *(str(part) for part in parts if part not in (None, ""))])
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text)[:100]


def made_by(framework: str, sandbox: Sandbox | AsyncSandbox) -> bool:
    """Whether the sandbox has a name of this framework."""
    return (sandbox.info.name or "").startswith(framework + "-")


def begin_in_image(sandbox: Sandbox) -> None:
    """Begins in the WORKDIR of the image, as frameworks expect, not where Talaria begins."""
    directory = _workdir(sandbox.info.target, sandbox.info.image)
    if directory:
        sandbox.set_cwd(directory)


async def begin_in_image_async(sandbox: AsyncSandbox) -> None:
    """The same for an asynchronous sandbox."""
    directory = await asyncio.to_thread(_workdir, sandbox.info.target, sandbox.info.image)
    if directory:
        await sandbox.set_cwd(directory)


def engine_program(target: str) -> str:
    """The program of a container engine, as Talaria finds it."""
    return (os.environ.get("HERMES_DOCKER_BINARY") if target == "docker" else None) or target


def _workdir(target: str, image: str | None) -> str | None:
    """The WORKDIR of an image that is here; None if the image does not say."""
    if target not in ("docker", "podman") or not image:
        return None
    asked = subprocess.run(
        [engine_program(target), "image", "inspect", "--format", "{{.Config.WorkingDir}}", image],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    directory = asked.stdout.strip() if asked.returncode == 0 else ""
    if directory.startswith(HIDDEN):
        log.warning(
            "the image %s begins in %s, where Talaria has a directory of its own: what the image "
            "has there is not visible",
            image,
            directory,
        )
    return directory or None
