#!/usr/bin/env python3
"""Makes src/talaria/_sync of src/talaria/_async: the same code, without its `async` and `await`.

tools/generate_sync.py           writes the files
tools/generate_sync.py --check   says which are not as they should be, and exits 1
"""

import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src" / "talaria"
BY_HAND = {"runtime.py"}  # how code waits is not the same

RULES = [
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsyncStarting\[(\w+)\]", r"\1"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\basynchronous\b", "synchronous"),
    (r"__a(enter|exit|iter|next)__", r"__\1__"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r": `await` it, or `async with`\.", ": use it with `with`, or `close()` it."),
    (r"`async with`", "`with`"),
    (r"Cancelling the call \(task cancellation, Ctrl-C\)", "Interrupting the call (Ctrl-C)"),
]


def converted(name: str) -> str:
    text = (SOURCE / "_async" / name).read_text(encoding="utf-8")
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    note = f"# Generated from _async/{name} by tools/generate_sync.py. Change that one.\n"
    return note + text


def main() -> int:
    wrong: list[str] = []
    for path in sorted((SOURCE / "_async").glob("*.py")):
        if path.name in BY_HAND:
            continue
        target = SOURCE / "_sync" / path.name
        text = converted(path.name)
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        wrong.append(target.name)
        if "--check" not in sys.argv[1:]:
            target.write_text(text, encoding="utf-8")
    print(f"generate_sync: {', '.join(wrong) or 'nothing'} changed")
    return 1 if wrong and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
