"""execute_code: output, failures and tools in scripts."""

from __future__ import annotations


def case_output(h):
    return h.code("print('one')\nprint(2)")


def case_failure(h):
    result = h.code("import sys\nprint('begun')\nsys.exit(3)")
    return [sorted(result), result["status"]]


def case_exception(h):
    result = h.code("print('begun')\nraise ValueError('wrong')")
    return [result["status"], "ValueError: wrong" in str(result)]


def case_syntax_error(h):
    result = h.code("def (:")
    return [result["status"], "SyntaxError" in str(result)]


def case_no_code(h):
    return [h.code(""), h.code("  \n")]


def case_tools(h):
    h.write("a.txt", "alpha\n")
    return h.code(
        "from hermes_tools import terminal, read_file, write_file\n"
        f"print(read_file('{h.directory}/a.txt')['content'])\n"
        "print(terminal('echo from the shell')['output'])\n"
        f"print(write_file('{h.directory}/b.txt', 'beta')['bytes_written'])\n"
    ) | {"b": h.text("b.txt")}


def case_helpers(h):
    return h.code(
        "from hermes_tools import json_parse, shell_quote, retry\n"
        'print(json_parse(\'{"a": 1}\'), shell_quote("it\'s"), retry(lambda: 5))\n'
    )


def case_search_and_patch(h):
    h.write("a.txt", "needle\n")
    return h.code(
        "from hermes_tools import search_files, patch\n"
        f"print(search_files('needle', path='{h.directory}')['total_count'])\n"
        f"print(patch('{h.directory}/a.txt', 'needle', 'thread')['success'])\n"
    )


def case_arguments_that_scripts_may_not_give(h):
    return h.code(
        "from hermes_tools import _call\n"
        "print(_call('terminal', {'command': 'echo here', 'background': True}))\n"
    )["output"].count("session_id")


def case_tool_that_is_not_offered(h):
    return h.code("import hermes_tools\nprint(hasattr(hermes_tools, 'delegate_task'))")


def case_secrets_are_not_in_the_environment(h):
    return h.code("import os\nprint([n for n in os.environ if 'API_KEY' in n or 'TOKEN' in n])")


def case_escape_sequences_are_removed(h):
    return h.code(r"print('\033[31mred\033[0m')")
