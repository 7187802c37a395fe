"""read_file, write_file, patch and search_files."""

from __future__ import annotations


def numbered(count: int) -> str:
    return "".join(f"line {number}\n" for number in range(1, count + 1))


def case_write_and_read(h):
    path = h.directory + "/sub/a.txt"
    return [
        h.tool("write_file", path=path, content="one\ntwo\n"),
        h.tool("read_file", path=path),
        h.text("sub/a.txt"),
    ]


def case_read_a_part(h):
    path = h.write("long.txt", numbered(30))
    return [
        h.tool("read_file", path=path, offset=5, limit=3),
        h.tool("read_file", path=path, offset=29, limit=10),
        h.tool("read_file", path=path, offset=100),
    ]


def case_read_relative(h):
    h.write("near.txt", "near\n")
    return h.tool("read_file", path="near.txt")


def case_read_missing(h):
    h.write("config.yaml", "a: 1\n")
    result = h.tool("read_file", path=h.directory + "/confg.yaml")
    return [sorted(result), result.get("similar_files")]


def case_read_binary(h):
    h.write("a.png", "not really")
    return h.tool("read_file", path=h.directory + "/a.png")


def case_read_device(h):
    return [h.tool("read_file", path="/dev/zero"), h.tool("read_file", path="/dev/stdin")]


def case_read_without_last_newline(h):
    return h.tool("read_file", path=h.write("a", "one\ntwo"))


def case_read_empty(h):
    return h.tool("read_file", path=h.write("empty.txt", ""))


def case_read_twice(h):
    path = h.write("same.txt", "same\n")
    return [h.tool("read_file", path=path), h.tool("read_file", path=path)]


def case_write_without_content(h):
    return [h.tool("write_file", path=h.directory + "/x"), h.tool("write_file", content="x")]


def case_write_to_a_system_file(h):
    return [
        h.tool("write_file", path="/etc/passwd", content="x"),
        h.tool("write_file", path="/boot/x", content="x"),
    ]


def case_write_over(h):
    path = h.write("a.txt", "old\n")
    return [h.tool("write_file", path=path, content="new\n"), h.text("a.txt")]


def case_patch_replace(h):
    path = h.write("a.py", "def one():\n    return 1\n")
    return [
        h.tool("patch", path=path, old_string="return 1", new_string="return 2"),
        h.text("a.py"),
    ]


def case_patch_not_unique(h):
    path = h.write("a.txt", "x\nx\n")
    return [
        h.tool("patch", path=path, old_string="x", new_string="y").get("success"),
        h.tool("patch", path=path, old_string="x", new_string="y", replace_all=True),
        h.text("a.txt"),
    ]


def case_patch_not_found(h):
    path = h.write("a.txt", "one\n")
    return sorted(h.tool("patch", path=path, old_string="absent", new_string="y"))


def case_patch_with_other_indentation(h):
    path = h.write("a.py", "class A:\n    def b(self):\n        return 1\n")
    result = h.tool(
        "patch",
        path=path,
        old_string="def b(self):\n    return 1",
        new_string="def b(self):\n    return 2",
    )
    return [result.get("success"), "return 2" in h.text("a.py")]


def case_patch_v4a(h):
    h.write("a.txt", "one\ntwo\nthree\n")
    h.write("gone.txt", "x\n")
    patch = (
        "*** Begin Patch\n"
        f"*** Update File: {h.directory}/a.txt\n@@\n one\n-two\n+TWO\n three\n"
        f"*** Add File: {h.directory}/new.txt\n+new\n"
        f"*** Delete File: {h.directory}/gone.txt\n"
        "*** End Patch"
    )
    result = h.tool("patch", mode="patch", patch=patch)
    return [result.get("success"), h.text("a.txt"), h.text("new.txt"), h.terminal("ls")["output"]]


def case_patch_v4a_that_does_not_fit(h):
    h.write("a.txt", "one\n")
    patch = f"*** Begin Patch\n*** Update File: {h.directory}/a.txt\n@@\n-absent\n+x\n*** End Patch"
    result = h.tool("patch", mode="patch", patch=patch)
    return [result.get("success"), h.text("a.txt")]


def case_search_content(h):
    h.write("a.py", "import os\nneedle = 1\n")
    h.write("sub/b.py", "needle = 2\n")
    h.write("c.txt", "needle = 3\n")
    result = h.tool("search_files", pattern="needle", path=h.directory, file_glob="*.py")
    return [
        result["total_count"],
        sorted((m["path"], m["line"], m["content"]) for m in result["matches"]),
    ]


def case_search_files_only(h):
    h.write("a.py", "needle\n")
    h.write("b.py", "needle\nneedle\n")
    result = h.tool("search_files", pattern="needle", path=h.directory, output_mode="files_only")
    return [sorted(result.get("files", [])), result["total_count"]]


def case_search_count(h):
    h.write("b.py", "needle\nneedle\n")
    return h.tool("search_files", pattern="needle", path=h.directory, output_mode="count")


def case_search_by_name(h):
    h.write("a.py", "")
    h.write("sub/b.py", "")
    h.write("c.txt", "")
    result = h.tool("search_files", pattern="*.py", target="files", path=h.directory)
    return [sorted(result["files"]), result["total_count"]]


def case_search_finds_nothing(h):
    h.write("a.py", "x\n")
    return h.tool("search_files", pattern="absent", path=h.directory)


def case_search_in_a_missing_folder(h):
    return sorted(h.tool("search_files", pattern="x", path=h.directory + "/absent"))
