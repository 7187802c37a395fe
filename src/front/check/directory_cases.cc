// Where commands run: the session's directory and a call's own.
#include "front/check/check_case.h"

namespace talaria::front::check {
namespace {

// The terminal tool without a directory of the call's own.
Task<std::string> in_session(Trial& trial, std::string text) {
  const json::object answer = co_await trial.agent().terminal({{"command", std::move(text)}});
  const std::string error = text_field(answer, "error");
  co_return error.empty() ? text_field(answer, "output") : "not run: " + error;
}

Task<void> cd_is_kept(Trial& trial) {
  co_await in_session(trial, "cd '" + trial.directory() + "'; mkdir -p a/b; cd a/b");
  trial.equal("pwd", co_await in_session(trial, "pwd"), trial.directory() + "/a/b");
  trial.equal("pwd after cd ..", co_await in_session(trial, "cd ..; pwd"),
              trial.directory() + "/a");
  trial.equal("pwd of the next", co_await in_session(trial, "pwd"), trial.directory() + "/a");
}

Task<void> cd_of_a_failure(Trial& trial) {
  const json::object answer =
      co_await trial.agent().terminal({{"command", "cd '" + trial.directory() + "'; false"}});
  trial.field(answer, "exit_code", 1);
  trial.equal("pwd", co_await in_session(trial, "pwd"), trial.directory());
}

Task<void> odd_names(Trial& trial) {
  co_await in_session(trial, "cd '" + trial.directory() + "'");
  for (const char* name : {"' a b '", "$'n\\nl'", "-demo", "'ż$HOME\"'"}) {
    const std::string word = name;
    const std::string there =
        co_await in_session(trial, "mkdir -p -- " + word + " && cd -- " + word + " && echo ok");
    if (!trial.equal("cd to " + word, there, "ok")) co_return;
    trial.equal("the directory of the next command",
                co_await in_session(trial, "[ \"${PWD##*/}\" = " + word + " ] && echo same; cd .."),
                "same");
  }
}

Task<void> subshell_does_not_move(Trial& trial) {
  co_await in_session(trial, "cd '" + trial.directory() + "'");
  trial.equal("a subshell", co_await in_session(trial, "(cd /; pwd)"), "/");
  trial.equal("the next command", co_await in_session(trial, "pwd"), trial.directory());
}

Task<void> workdir_is_for_one(Trial& trial) {
  co_await in_session(trial, "cd /");
  co_await trial.shows("with workdir", "pwd", trial.directory());
  trial.equal("the next command", co_await in_session(trial, "pwd"), "/");
}

Task<void> cd_on_top_of_workdir(Trial& trial) {
  co_await in_session(trial, "cd /");
  co_await trial.agent().command("mkdir -p sub; cd sub");
  trial.equal("the next command", co_await in_session(trial, "pwd"), trial.directory() + "/sub");
}

Task<void> missing_workdir(Trial& trial) {
  const std::string missing = trial.directory() + "/no-such-place";
  json::object answer =
      co_await trial.agent().terminal({{"command", "echo ran"}, {"workdir", missing}});
  trial.contains("the answer", text_field(answer, "output") + text_field(answer, "error"), missing);
  trial.lacks("output", text_field(answer, "output"), "ran");
  trial.holds(number_of(answer, "exit_code") != 0, "exit_code", "not 0", "0");
}

Task<void> file_as_workdir(Trial& trial) {
  co_await trial.agent().command("echo x > file");
  const std::string file = trial.directory() + "/file";
  json::object answer =
      co_await trial.agent().terminal({{"command", "echo ran"}, {"workdir", file}});
  trial.contains("the answer", text_field(answer, "output") + text_field(answer, "error"), file);
  trial.holds(number_of(answer, "exit_code") != 0, "exit_code", "not 0", "0");
}

Task<void> blocked_workdir(Trial& trial) {
  json::object answer =
      co_await trial.agent().terminal({{"command", "echo ran"}, {"workdir", "/tmp;x"}});
  trial.field(answer, "status", "blocked");
  trial.contains("error", text_field(answer, "error"), "disallowed character ';'");
  co_await trial.still_works();
}

Task<void> deleted_directory(Trial& trial) {
  co_await in_session(trial,
                      "cd '" + trial.directory() + "'; mkdir -p gone/deeper; cd gone/deeper");
  co_await trial.agent().command("rm -r gone");
  const json::object answer = co_await trial.agent().terminal({{"command", "pwd"}});
  trial.field(answer, "output", trial.directory());
  trial.field(answer, "exit_code", 0);
  trial.equal("the next command", co_await in_session(trial, "pwd"), trial.directory());
}

Task<void> tilde(Trial& trial) {
  const json::object answer =
      co_await trial.agent().terminal({{"command", "pwd -P; cd; pwd -P"}, {"workdir", "~"}});
  const std::string shown = text_field(answer, "output");
  const std::size_t half = shown.find('\n');
  trial.holds(half != std::string::npos && shown.substr(0, half) == shown.substr(half + 1),
              "workdir ~, and cd", "the same directory twice", shown);
}

}  // namespace

std::vector<CheckCase> directory_cases() {
  return {
      {"directory", "cd-is-kept", Ability::sessions, cd_is_kept},
      {"directory", "cd-of-a-failed-command-is-kept", Ability::sessions, cd_of_a_failure},
      {"directory", "odd-names-are-kept", Ability::sessions, odd_names},
      {"directory", "a-subshell-does-not-move", Ability::sessions, subshell_does_not_move},
      {"directory", "workdir-is-for-one-command", Ability::sessions, workdir_is_for_one},
      {"directory", "cd-on-top-of-workdir-moves", Ability::sessions, cd_on_top_of_workdir},
      {"directory", "a-missing-workdir-is-an-error", Ability::commands, missing_workdir},
      {"directory", "a-file-as-workdir-is-an-error", Ability::commands, file_as_workdir},
      {"directory", "an-odd-workdir-is-blocked", Ability::commands, blocked_workdir},
      {"directory", "a-deleted-one-is-left", Ability::sessions, deleted_directory},
      {"directory", "tilde-is-the-home-there", Ability::commands, tilde},
  };
}

}  // namespace talaria::front::check
