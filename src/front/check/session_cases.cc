// What a session keeps from one command to the next, and what it does not.
#include <utility>

#include "front/check/check_case.h"

namespace talaria::front::check {
namespace {

struct SessionRow {
  const char* name;
  const char* change;  // the first command
  const char* look;    // a later one
  const char* seen;
  bool bash = false;  // it is about what only bash has
};

constexpr SessionRow kKept[] = {
    {"export", "export A='x y'", "echo \"$A\"", "x y"},
    {"export-of-newlines", "export A='one\ntwo\n'", "printf '%s|' \"$A\"", "one\ntwo\n|"},
    {"export-of-quotes", "export A=\"'\\\"\\$\\`\\\\\"", "printf '%s|' \"$A\"", "'\"$`\\|"},
    {"export-of-nothing", "export A=", "echo \"${A-unset}|\"", "|"},
    {"export-of-unicode", "export A='żółć 🜁'", "echo \"$A\"", "żółć 🜁"},
    {"export-of-300-kilobytes", "export BIG=$(head -c 300000 /dev/zero | tr '\\0' x)",
     "echo ${#BIG}", "300000"},
    {"unset", "unset HOME", "echo \"${HOME-unset}\"", "unset"},
    {"path", "export PATH=\"/no/such/place:$PATH\"", "echo \"${PATH%%:*}\"", "/no/such/place"},
    {"function", "f() { echo \"f got $1\"; }", "f it", "f got it", kBash},
    {"function-with-here-document", "f() { cat <<'E'\n  $a 'b'\nE\n}", "f | tr -d ' \\n'", "$a'b'",
     kBash},
    {"function-named-cd", "cd() { echo fake; }", "cd /", "fake", kBash},
    {"alias", "shopt -s expand_aliases; alias hello='echo hi there'", "hello", "hi there"},
    {"shopt", "shopt -s nullglob", "shopt -q nullglob && echo on", "on", kBash},
    {"set-option", "set -o noglob", "echo *", "*"},
    {"umask", "umask 027", "umask", "0027"},
    {"separator", "export IFS=,", "a=1,2,3; set -- $a; echo $#", "3"},
};

constexpr SessionRow kNotKept[] = {
    {"plain-variable", "A=1; echo $A", "echo \"${A-unset}\"", "unset"},
    {"errexit", "set -e; echo 1", "false; echo on", "on"},
    {"nounset", "set -u; echo 1", "echo \"$NOTHING|\"", "|"},
    {"xtrace", "set -x; echo 1 2>/dev/null", "echo a", "a"},
    {"exit-trap", "trap 'echo trap' EXIT; echo 1", "echo a", "a"},
    {"limit", "ulimit -n 20; echo 1", "[ $(ulimit -n) -gt 20 ] && echo more", "more"},
};

Task<void> is_kept(Trial& trial, const SessionRow& row) {
  const json::object changed = co_await trial.agent().command(row.change);
  trial.equal("exit_code of the change", number_of(changed, "exit_code"), 0);
  // Twice: the second finds what the first wrote back.
  for (const char* when : {"the next command", "the one after it"}) {
    if (!trial.equal(when, co_await trial.agent().output_of(row.look), row.seen)) co_return;
  }
}

Task<void> is_not_kept(Trial& trial, const SessionRow& row) {
  const json::object changed = co_await trial.agent().command(row.change);
  trial.contains("output of the change", text_field(changed, "output"), "1");
  co_await trial.shows("the next command", row.look, row.seen);
}

Task<void> exit_keeps_state(Trial& trial) {
  const json::object answer = co_await trial.agent().command("export A=kept; exit 7");
  trial.field(answer, "exit_code", 7);
  co_await trial.shows("the next command", "echo $A", "kept");
}

Task<void> death_keeps_what_was(Trial& trial) {
  co_await trial.agent().command("export A=before; f() { echo f; }");
  const json::object answer = co_await trial.agent().command("export A=lost; kill -9 $$");
  trial.field(answer, "exit_code", -9);
  co_await trial.shows("the next command", "echo $A; f", "before\nf");
}

Task<void> unset_of_own(Trial& trial) {
  co_await trial.agent().command("export A=1 B=2; f() { :; }");
  co_await trial.agent().command("unset A; unset -f f");
  co_await trial.shows("the next command", "echo \"${A-unset} $B\"; type -t f || echo no f",
                       "unset 2\nno f");
}

Task<void> tasks_are_apart(Trial& trial) {
  Agent other = trial.agent().with_task("other");
  Agent alike = trial.agent().with_task("OTHER");
  co_await trial.agent().command("export WHO=first");
  co_await other.command("export WHO=second");
  co_await trial.shows("the first session", "echo $WHO", "first");
  trial.equal("the second session", co_await other.output_of("echo $WHO"), "second");
  trial.equal("one with a similar name", co_await alike.output_of("echo \"${WHO-nobody}\""),
              "nobody");
}

Task<void> without_task(Trial& trial) {
  const auto run = [&](std::string text) {
    return trial.bench().runtime->run({.text = std::move(text), .workdir = trial.directory()},
                                      trial.cancel());
  };
  const Result<Outcome> change = co_await run("export A=1; printf %s \"$A\"");
  const Result<Outcome> look = co_await run("printf %s \"${A-unset}\"");
  trial.equal("the command that changes something", change ? change->output : "none", "1");
  trial.equal("the next one", look ? look->output : "none", "unset");
}

Task<void> large_state(Trial& trial) {
  co_await trial.agent().command(
      "for i in {1..300}; do export V$i=value$i; eval \"f$i() { echo $i; }\"; done");
  co_await trial.shows("the next command",
                       "echo $V1 $V150 $V300; f1; f300; compgen -A function | grep -c '^f[0-9]'",
                       "value1 value150 value300\n1\n300\n300");
}

}  // namespace

std::vector<CheckCase> session_cases() {
  std::vector<CheckCase> cases;
  for (const SessionRow& row : kKept) {
    cases.push_back({"session", std::string("keeps-") + row.name, Ability::sessions,
                     [&row](Trial& trial) { return is_kept(trial, row); }, row.bash});
  }
  for (const SessionRow& row : kNotKept) {
    cases.push_back({"session", std::string("forgets-") + row.name, Ability::sessions,
                     [&row](Trial& trial) { return is_not_kept(trial, row); }});
  }
  cases.push_back({"session", "keeps-state-of-exit", Ability::sessions, exit_keeps_state});
  cases.push_back(
      needs_bash({"session", "survives-a-killed-shell", Ability::sessions, death_keeps_what_was}));
  cases.push_back({"session", "keeps-unset-of-its-own", Ability::sessions, unset_of_own});
  cases.push_back({"session", "tasks-are-apart", Ability::sessions, tasks_are_apart});
  cases.push_back({"session", "none-without-a-task", Ability::sessions, without_task});
  cases.push_back(needs_bash({"session", "keeps-a-large-state", Ability::sessions, large_state}));
  return cases;
}

}  // namespace talaria::front::check
