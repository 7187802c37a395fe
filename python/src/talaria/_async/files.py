"""Files at a target."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from ..errors import NotFound, ToolError
from ..types import (
    Data,
    EditResult,
    FileStat,
    Json,
    Path,
    SearchResult,
    Transfer,
    bytes_of,
)
from .runtime import in_thread

if TYPE_CHECKING:
    from .runtime import AsyncCall, AsyncChannel

_PIECE = 1024 * 1024  # of a file that is read
_ONE_CALL = 4 * 1024 * 1024  # a file up to this size is written by one call


class AsyncFiles:
    """Files at a target. Paths are absolute, below `~`, or relative to the session's directory."""

    def __init__(
        self, channel: AsyncChannel, where: Mapping[str, str], session_key: str | None
    ) -> None:
        self._channel = channel
        self._where = where
        self._session_key = session_key

    async def read(self, path: Path, *, start: int = 0, max_bytes: int | None = None) -> bytes:
        """The content, or `max_bytes` of it from byte `start` on."""
        pieces: list[bytes] = []
        left = max_bytes
        position = start
        while left is None or left > 0:
            size = _PIECE if left is None else min(_PIECE, left)
            params = {"path": os.fspath(path), "from": position, "max": size, "encoding": "base64"}
            answer = await self._call("read", params)
            piece = bytes_of(answer, "data")
            pieces.append(piece)
            position = answer["next"]
            if left is not None:
                left -= len(piece)
            if answer.get("eof") or not piece:
                break
        return b"".join(pieces)

    async def read_text(
        self, path: Path, *, encoding: str = "utf-8", errors: str = "strict"
    ) -> str:
        """The content as text."""
        return (await self.read(path)).decode(encoding, errors)

    async def write(
        self,
        path: Path,
        data: Data,
        *,
        append: bool = False,
        mode: int | None = None,
        parents: bool = True,
    ) -> int:
        """Replaces the file in one step, or appends to it. Missing directories are made. Returns
        how many bytes were written."""
        raw = data.encode() if isinstance(data, str) else data
        if len(raw) > _ONE_CALL and not append:
            pieces = (raw[at : at + _PIECE] for at in range(0, len(raw), _PIECE))
            return (await self._send(path, "file", pieces, mode, parents)).bytes
        params: Json = {"path": os.fspath(path), "append": append or None, "mode": _mode(mode)}
        if not parents:
            params["parents"] = False
        written = 0
        for at in range(0, len(raw) or 1, _ONE_CALL):
            piece = raw[at : at + _ONE_CALL]
            params["data64"] = base64.b64encode(piece).decode("ascii")
            written += (await self._call("write", params))["bytes"]
        return written

    async def edit(
        self, path: Path, old: str, new: str, *, replace_all: bool = False
    ) -> EditResult:
        """Replaces a text in a file; `old` must be found once, unless `replace_all`. Raises
        ToolError if it is not."""
        return EditResult.from_wire(
            await self._tool(
                "patch",
                {
                    "mode": "replace",
                    "path": os.fspath(path),
                    "old_string": old,
                    "new_string": new,
                    "replace_all": replace_all,
                },
            )
        )

    async def patch(self, patch: str) -> EditResult:
        """Applies a patch in the V4A format (docs/reference/editing.md). Raises ToolError if it
        does not apply."""
        return EditResult.from_wire(await self._tool("patch", {"mode": "patch", "patch": patch}))

    async def search(
        self,
        pattern: str,
        path: Path = ".",
        *,
        what: Literal["content", "files"] = "content",
        glob: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        output: Literal["content", "files_only", "count"] | None = None,
        context: int | None = None,
    ) -> SearchResult:
        """Searches the content of files by a regular expression, or names of files by a glob
        (`what="files"`)."""
        arguments: Json = {
            "pattern": pattern,
            "path": os.fspath(path),
            "target": what,
            "file_glob": glob,
            "limit": limit,
            "offset": offset,
            "output_mode": output,
            "context": context,
        }
        given = {name: value for name, value in arguments.items() if value is not None}
        return SearchResult.from_wire(await self._tool("search_files", given))

    async def upload(
        self, local: Path, path: Path, *, mode: int | None = None, parents: bool = True
    ) -> Transfer:
        """Copies a file or a directory of this machine to the target. A file replaces the one that
        is there in one step; a directory is added to what is there."""
        from pathlib import Path as LocalPath

        from .. import _archive

        source = LocalPath(local)
        if await in_thread(source.is_dir):
            return await self._send(path, "tree", _archive.tree_pieces(source), None, parents)
        if mode is None:
            mode = (await in_thread(source.stat)).st_mode & 0o777
        return await self._send(path, "file", _archive.file_pieces(source), mode, parents)

    async def download(self, path: Path, local: Path) -> Transfer:
        """Copies a file or a directory of the target to this machine."""
        from pathlib import Path as LocalPath

        from .. import _archive

        stat = await self.stat(path)
        target = LocalPath(local)
        if stat.is_directory:
            import tempfile

            with tempfile.TemporaryFile() as archive:
                answer = await self._receive(path, "tree", archive)
                archive.seek(0)
                files = await in_thread(_archive.unpack, archive, target)
            return Transfer(answer["bytes"], files, answer.get("sha256"))
        await in_thread(lambda: target.parent.mkdir(parents=True, exist_ok=True))
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            with open(part, "wb") as file:
                answer = await self._receive(path, "file", file)
            os.chmod(part, stat.mode & 0o777 or 0o644)
            os.replace(part, target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        return Transfer(answer["bytes"], 1, answer.get("sha256"))

    async def tree(
        self, path: Path = ".", *, depth: int = 100, max_entries: int | None = None
    ) -> list[FileStat]:
        """Everything below a directory, with paths relative to it."""
        params: Json = {"path": os.fspath(path), "depth": depth, "max": max_entries}
        return [FileStat.from_wire(one) for one in (await self._call("list", params))["entries"]]

    async def list(self, path: Path = ".") -> list[FileStat]:
        """What is in a directory, with paths relative to it."""
        return await self.tree(path, depth=1)

    async def stat(self, path: Path) -> FileStat:
        """What is known about a file. Raises NotFound."""
        return FileStat.from_wire(await self._call("stat", {"path": os.fspath(path)}))

    async def exists(self, path: Path) -> bool:
        """Whether there is such a file or directory."""
        try:
            await self.stat(path)
        except NotFound:
            return False
        return True

    async def remove(self, path: Path, *, recursive: bool = False) -> None:
        """Removes a file, or with `recursive` a directory."""
        await self._call("remove", {"path": os.fspath(path), "recursive": recursive or None})

    async def make_dir(self, path: Path, *, parents: bool = True, mode: int | None = None) -> None:
        """Makes a directory."""
        params: Json = {"path": os.fspath(path), "parents": parents, "mode": _mode(mode)}
        await self._call("make_dir", params)

    async def rename(self, path: Path, to: Path, *, overwrite: bool = True) -> None:
        """Gives a file another name."""
        params: Json = {"from": os.fspath(path), "to": os.fspath(to), "overwrite": overwrite}
        await self._call("rename", params)

    async def _call(self, method: str, params: Json) -> Json:
        asks = method not in ("stat", "list")
        return await self._channel.call("files." + method, self._with_where(params, asks=asks))

    def _with_where(self, params: Json, *, asks: bool = True) -> Json:
        """`asks`: the call may need an approval, so it says who is asking."""
        key = self._session_key if asks else None
        return {**self._where, "session_key": key, **params}

    async def _tool(self, name: str, arguments: Json) -> Json:
        body: Json = {"tool": name, "args": arguments, **self._where}
        if self._session_key is not None:
            body["session_key"] = self._session_key
        result = await self._channel.tool(body)
        error: Any = result.get("error")
        if error or result.get("success") is False:
            raise ToolError(f"{name}: {error}", result)
        return result

    async def _send(
        self, path: Path, kind: str, pieces: Iterator[bytes], mode: int | None, parents: bool
    ) -> Transfer:
        params: Json = {"path": os.fspath(path), "kind": kind, "mode": _mode(mode)}
        if not parents:
            params["parents"] = False
        call = self._channel.open("files.upload", self._with_where(params))
        try:
            await _write_all(call, pieces)
        except BaseException:
            await call.stop()
            raise
        answer = await call.answer()
        return Transfer(answer["bytes"], answer.get("files"), answer.get("sha256"))

    async def _receive(self, path: Path, kind: str, file: Any) -> Json:
        params: Json = {"path": os.fspath(path), "kind": kind}
        call = self._channel.open("files.download", self._with_where(params))
        try:
            while (part := await call.next_part()) is not None:
                if "stream" in part:
                    data = bytes_of(part, "data")
                    await in_thread(file.write, data)
                    call.consumed(len(data))
        except BaseException:
            await call.stop()
            raise
        return call.outcome()


async def _write_all(call: AsyncCall, pieces: Iterator[bytes]) -> None:
    """Sends all pieces, one line each, until the call takes no more: its answer says why."""
    gathered: list[bytes] = []
    size = 0
    while (piece := await in_thread(_next, pieces)) is not None:
        gathered.append(piece)
        size += len(piece)
        if size >= _PIECE // 2:
            if not await call.write(b"".join(gathered)):
                return
            gathered, size = [], 0
    await call.write(b"".join(gathered), end=True)


def _next(pieces: Iterator[bytes]) -> bytes | None:
    return next(pieces, None)


def _mode(mode: int | None) -> str | None:
    return None if mode is None else f"{mode:04o}"
