// One command: what it prints, how it ends, what bash makes of it.
#include <boost/json/serialize.hpp>

#include "front/check/check_case.h"

namespace talaria::front::check {
namespace {

struct Row {
  const char* name;
  const char* text;
  int code;
  const char* output;
  bool bash = false;  // it is about what only bash has
};

constexpr Row kRows[] = {
    {"success", "true && echo done", 0, "done"},
    {"failure", "echo no; false", 1, "no"},
    {"exit-code-42", "echo 42; exit 42", 42, "42"},
    {"exit-code-255", "echo 255; exit 255", 255, "255"},
    {"exit-in-subshell", "(exit 3); echo $?", 0, "3"},
    {"program-not-found", "no-such-program-at-all 2>/dev/null", 127, ""},
    {"program-not-executable", "echo x > plain; ./plain 2>/dev/null", 126, ""},
    {"death-by-kill", "kill -KILL $$", -9, ""},
    {"death-by-term", "kill -TERM $$", -15, ""},
    {"death-by-segv", "kill -SEGV $$", -11, ""},
    {"death-of-a-child", "{ sh -c 'kill -9 $$'; } 2>/dev/null; exit $?", 137, ""},
    {"here-document", "cat <<'E'\nit's $HOME `x` \\ \"q\"\nE", 0, "it's $HOME `x` \\ \"q\""},
    {"here-string", "cat <<< \"a  b\"", 0, "a  b", kBash},
    {"quotes", "printf '%s|' 'a b' \"c'd\" \\\"e\\\" $'f\\tg' '$h'", 0, "a b|c'd|\"e\"|f\tg|$h|",
     kBash},
    {"unicode", "x='日本 – żółć 🜁'; printf '%s' \"${x%🜁}\"; echo \"é\"", 0, "日本 – żółć é"},
    {"many-lines", "a=1\nif [ $a = 1 ]; then\n  echo one\nfi\n\n\necho two\n", 0, "one\ntwo"},
    {"comment-at-its-end", "echo hi # there", 0, "hi"},
    {"semicolon-at-its-end", "echo hi;", 0, "hi"},
    {"errexit", "set -e; echo yes; false; echo no", 1, "yes"},
    {"exit-trap", "trap 'echo bye' EXIT; exit 3", 3, "bye"},
    {"error-trap", "trap 'echo caught' ERR; false; true", 0, "caught", kBash},
    {"exec", "exec sh -c 'echo other; exit 5'", 5, "other"},
    {"pipeline-status", "false | true; echo ${PIPESTATUS[0]}", 0, "1", kBash},
    {"pipefail", "set -o pipefail; echo x | false | cat; echo $?", 0, "1", kBash},
    {"process-substitution", "cat <(echo one) <(echo two)", 0, "one\ntwo", kBash},
    {"arrays-and-arithmetic", "a=(1 2 3); echo $((${a[0]} + ${#a[@]} * 2))", 0, "7", kBash},
    {"text-that-looks-like-a-marker",
     "echo __HERMES_CWD_0123456789ab__/etc__HERMES_CWD_0123456789ab__", 0,
     "__HERMES_CWD_0123456789ab__/etc__HERMES_CWD_0123456789ab__"},
    {"functions-named-like-builtins", "printf() { :; }; exit() { :; }; echo out; false", 1, "out",
     kBash},
    {"no-terminal", "[ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo none", 0, "none"},
    {"no-input", "cat; echo $?", 0, "0"},
    {"globs", "touch b.x a.x c.y; echo *.x", 0, "a.x b.x"},
    {"no-arguments", "echo $# $@", 0, "0"},
};

Task<void> runs_as(Trial& trial, const Row& row) {
  // Twice: the second may find a shell that is already there.
  for (const char* which : {"the first time: ", "the second time: "}) {
    const json::object answer = co_await trial.agent().command(row.text);
    const std::string when = which;
    if (!trial.equal(when + "exit_code", number_of(answer, "exit_code"), row.code) ||
        !trial.equal(when + "output", text_field(answer, "output"), row.output) ||
        !trial.equal(when + "error", text_field(answer, "error"), "")) {
      co_return;
    }
  }
  // What did not print anything has not shown yet that it ran.
  co_await trial.shows("a command after it", "echo next", "next");
}

Task<void> syntax_error(Trial& trial) {
  const json::object answer = co_await trial.agent().command("echo 'unterminated");
  trial.field(answer, "exit_code", 2);
  const std::string said = text_field(answer, "output");
  const bool named = said.contains("unexpected EOF") || said.contains("nterminated");  // bash, sh
  trial.holds(named, "output", "what is wrong with it", said);
  co_await trial.still_works();
}

Task<void> empty(Trial& trial) {
  for (const char* text : {"", " \n\t ", "# nothing"}) {
    const json::object answer = co_await trial.agent().command(text);
    trial.field(answer, "exit_code", 0);
    trial.field(answer, "output", "");
  }
  co_await trial.still_works();
}

// More than one argument of a program can hold.
Task<void> large(Trial& trial, std::size_t size) {
  const std::string text = "printf '%s' '" + std::string(size, 'x') + "' | wc -c | tr -d ' '";
  co_await trial.shows("bytes of its text that arrived", text, std::to_string(size));
}

Task<void> many_quotes(Trial& trial) {
  const std::string text = "printf '%s' \"" + std::string(150'000, '\'') + "\" | wc -c | tr -d ' '";
  co_await trial.shows("quotes that arrived", text, "150000");
}

// The controller refuses it, so the target never sees it.
Task<void> is_refused(Trial& trial, std::string text, std::string reason) {
  const json::object answer = co_await trial.agent().command(std::move(text));
  trial.field(answer, "exit_code", -1);
  trial.contains("error", text_field(answer, "error"), reason);
  co_await trial.still_works();
}

}  // namespace

std::vector<CheckCase> command_cases() {
  std::vector<CheckCase> cases;
  for (const Row& row : kRows) {
    cases.push_back({.group = "command",
                     .name = row.name,
                     .run = [&row](Trial& trial) { return runs_as(trial, row); },
                     .bash = row.bash});
  }
  const CheckCase others[] = {
      {"command", "syntax-error", Ability::commands, syntax_error},
      {"command", "empty", Ability::commands, empty},
      {"command", "of-200-kilobytes", Ability::commands,
       [](Trial& trial) { return large(trial, 200'000); }},
      {"command", "of-2-megabytes", Ability::commands,
       [](Trial& trial) { return large(trial, 2'000'000); }},
      {"command", "of-many-quotes", Ability::commands, many_quotes},
      {"command", "with-a-nul-byte", Ability::commands,
       [](Trial& trial) {
         return is_refused(trial, std::string("echo a\0b", 8), "NUL byte at offset 6");
       }},
      {"command", "with-broken-unicode", Ability::commands,
       [](Trial& trial) { return is_refused(trial, "echo \xED\xA0\x80", "not valid Unicode"); }},
  };
  cases.insert(cases.end(), std::begin(others), std::end(others));
  return cases;
}

}  // namespace talaria::front::check
