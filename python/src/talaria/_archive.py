"""Trees as tar archives, in pieces: out of a directory, and into one."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from .errors import BadRequest

PIECE = 512 * 1024


def file_pieces(path: Path) -> Iterator[bytes]:
    """The content of a file."""
    with open(path, "rb") as file:
        while piece := file.read(PIECE):
            yield piece


def tree_pieces(root: Path) -> Iterator[bytes]:
    """A directory as a pax archive, with paths relative to it. Files are read as they are sent."""
    if not root.is_dir():
        raise BadRequest(f"upload: {root} is not a directory")
    names = tarfile.TarFile(fileobj=io.BytesIO(), mode="w", format=tarfile.PAX_FORMAT)
    for path in sorted(root.rglob("*")):
        info = names.gettarinfo(str(path), arcname=path.relative_to(root).as_posix())
        if info is None:  # pyright: ignore[reportUnnecessaryComparison]  (a socket)
            continue
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        if info.islnk():  # a second name of a file that was sent: sent again
            info.type, info.linkname, info.size = tarfile.REGTYPE, "", path.stat().st_size
        yield info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")
        if info.isreg():
            yield from _content(path, info.size)
    yield bytes(2 * tarfile.BLOCKSIZE)


def _content(path: Path, size: int) -> Iterator[bytes]:
    """As many bytes as the header says, whatever happens to the file meanwhile."""
    left = size
    with open(path, "rb") as file:
        while left:
            piece = file.read(min(PIECE, left))
            if not piece:
                raise BadRequest(f"upload: {path} became shorter while it was read")
            left -= len(piece)
            yield piece
    if size % tarfile.BLOCKSIZE:
        yield bytes(tarfile.BLOCKSIZE - size % tarfile.BLOCKSIZE)


def unpack(archive: IO[bytes], root: Path) -> int:
    """Unpacks an archive below `root`, and nowhere else. Returns how many files there were."""
    root.mkdir(parents=True, exist_ok=True)
    count = 0
    with tarfile.open(fileobj=archive, mode="r:") as members:
        directories: list[tuple[Path, tarfile.TarInfo]] = []
        for member in members:
            path = _inside(root, member.name)
            if path is None:
                raise BadRequest(f"download: the archive has a path outside: {member.name}")
            if member.isdir():
                path.mkdir(parents=True, exist_ok=True)
                directories.append((path, member))
            elif member.isreg():
                _clear(path)
                source = members.extractfile(member)
                assert source is not None
                with open(path, "wb") as file:
                    while piece := source.read(PIECE):
                        file.write(piece)
                _finish(path, member)
                count += 1
            elif member.issym():
                _clear(path)
                os.symlink(member.linkname, path)
                count += 1
            elif member.islnk():
                target = _inside(root, member.linkname)
                if target is None:
                    raise BadRequest(f"download: the archive has a link outside: {member.name}")
                _clear(path)
                os.link(target, path, follow_symlinks=False)
                count += 1
        for path, member in reversed(directories):
            _finish(path, member)
    return count


def _inside(root: Path, name: str) -> Path | None:
    """The path of a member, if no part of it leads out of `root`, not even through a link."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or ".." in parts:
        return None
    path = root
    for part in parts[:-1]:
        path = path / part
        if path.is_symlink():
            return None
    return root.joinpath(*parts)


def _clear(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() or path.is_file():
        path.unlink()


def _finish(path: Path, member: tarfile.TarInfo) -> None:
    os.chmod(path, member.mode & 0o777)
    os.utime(path, (member.mtime, member.mtime))
