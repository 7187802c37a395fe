"""terminal: results, state of the session, exit codes, refusals."""


def case_output_and_exit_code(h):
    return [h.terminal("echo one; echo two >&2"), h.terminal("exit 3"), h.terminal("false")]


def case_no_output(h):
    return h.terminal("true")


def case_directory_is_kept(h):
    h.terminal("mkdir inner && cd inner")
    return [h.terminal("pwd"), h.terminal("pwd", workdir=h.directory), h.terminal("cd ..; pwd")]


def case_variables_are_kept(h):
    h.terminal("export COLOUR=blue; plain=1")
    return [h.terminal('echo "$COLOUR"'), h.terminal("unset COLOUR")]


def case_syntax_error(h):
    result = h.terminal("if then")
    return [result["exit_code"], "syntax error" in result["output"], result["error"]]


def case_not_found(h):
    result = h.terminal("no-such-program-at-all")
    return [result["exit_code"], "not found" in result["output"], result["error"]]


def case_not_executable(h):
    h.write("script", "#!/bin/sh\n")
    result = h.terminal("./script")
    return [result["exit_code"], "Permission denied" in result["output"]]


def case_directory_is_missing(h):
    result = h.terminal("echo here", workdir=h.directory + "/missing")
    return [result["exit_code"], result["error"]]


def case_timeout_with_output(h):
    return h.terminal("echo begun; sleep 30", timeout=1)


def case_timeout_without_output(h):
    return h.terminal("sleep 30", timeout=1)


def case_timeout_above_the_maximum(h):
    return h.terminal("true", timeout=601)


def case_meaning_of_exit_codes(h):
    h.write("a", "one\n")
    h.write("b", "two\n")
    return [
        h.terminal("grep absent a"),
        h.terminal("diff -q a b"),
        h.terminal("test -e absent"),
        h.terminal("find a absent"),
        h.terminal("echo x | grep y"),
    ]


def case_escape_sequences_are_removed(h):
    return h.terminal(r"printf '\033[31mred\033[0m \033]0;title\007text\n'")


def case_white_space_around_is_removed(h):
    return h.terminal("printf '\\n\\n  text  \\n\\n'")


def case_unicode(h):
    return h.terminal("printf 'gr\\303\\274n \\342\\202\\254\\n'")


def case_bytes_that_are_not_text(h):
    return h.terminal("printf 'a\\377b\\n'")


def case_large_output_is_cut(h):
    result = h.terminal("seq 1 40000")
    output = result["output"]
    return [result["exit_code"], output[:20], output[-20:], "OUTPUT TRUNCATED" in output]


def case_secrets_are_masked(h):
    return h.terminal("echo key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF end")


def case_input_is_empty(h):
    return h.terminal("cat; echo done")


def case_quotes(h):
    return h.terminal("""echo "it's" 'a "word"' \\$HOME $((1 + 2))""")


def case_several_lines(h):
    return h.terminal("for i in 1 2 3; do\n  echo $i\ndone\ncat <<EOF\nhere\nEOF")


def case_command_of_a_wrong_type(h):
    return h.tool("terminal", command=7)


def case_directory_with_shell_characters(h):
    return h.terminal("true", workdir="/tmp; echo x")


def case_background_with_ampersand_is_refused(h):
    return h.terminal("sleep 100 &")


def case_nohup_is_refused(h):
    return h.terminal("nohup sleep 100")


def case_server_in_the_foreground_is_refused(h):
    return [h.terminal("npm run dev"), h.terminal("python3 -m http.server")]


def case_function_and_alias(h):
    h.terminal("greet() { echo hello $1; }")
    return h.terminal("type greet 2>&1 | head -n 1 | grep -c function || true")["exit_code"]
