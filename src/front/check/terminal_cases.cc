// Processes on a terminal of their own: keys, signals, size, screen.
#include <utility>

#include <boost/json/array.hpp>

#include "front/check/check_case.h"

namespace talaria::front::check {
namespace {

Task<std::string> start(Trial& trial, std::string command) {
  return trial.agent().start(std::move(command), {{"pty", true}});
}

Task<bool> screen_shows(Trial& trial, std::string id, std::string text) {
  std::string screen;
  const auto look = [&]() -> Task<bool> {
    const json::object now = co_await trial.agent().process("screen", id);
    screen = text_field(now, "screen");
    co_return screen.contains(text);
  };
  const bool seen = co_await eventually(trial.agent(), look);
  co_return trial.holds(seen, "screen", text, screen);
}

Task<void> is_one(Trial& trial) {
  const std::string id =
      co_await start(trial, "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo a terminal; echo $TERM");
  const json::object ended = co_await trial.agent().wait(id);
  trial.contains("output", text_field(ended, "output"), "a terminal");
  trial.field(ended, "exit_code", 0);
}

Task<void> has_a_size(Trial& trial) {
  const std::string id = co_await start(trial, "stty size; read line; stty size");
  co_await screen_shows(trial, id, "30 120");
  const json::object resized =
      co_await trial.agent().process("resize", id, {{"rows", 41}, {"cols", 133}});
  trial.equal("status of resize", text_field(resized, "status"), "ok");
  co_await trial.agent().process("submit", id, {{"data", ""}});
  const json::object ended = co_await trial.agent().wait(id);
  trial.contains("output", text_field(ended, "output"), "41 133");
}

Task<void> reports_a_new_size(Trial& trial) {
  const std::string id =
      co_await start(trial, "trap 'stty size; exit' WINCH; echo on; while :; do sleep 0.05; done");
  co_await screen_shows(trial, id, "on");
  co_await trial.agent().process("resize", id, {{"rows", 50}, {"cols", 90}});
  const json::object ended = co_await trial.agent().wait(id);
  trial.contains("output", text_field(ended, "output"), "50 90");
}

Task<void> echoes_and_ends(Trial& trial) {
  const std::string id = co_await start(trial, "cat; echo over");
  co_await trial.agent().process("submit", id, {{"data", "hello"}});
  co_await screen_shows(trial, id, "hello\nhello");
  const json::object closed = co_await trial.agent().process("close", id);
  trial.equal("message of close", text_field(closed, "message"), "EOF sent");
  const json::object ended = co_await trial.agent().wait(id);
  trial.field(ended, "exit_code", 0);
  trial.contains("output", text_field(ended, "output"), "over");
}

Task<void> interrupt_key(Trial& trial) {
  const std::string id =
      co_await start(trial, "trap 'echo caught; exit 9' INT; echo on; while :; do sleep 0.1; done");
  co_await screen_shows(trial, id, "on");
  co_await trial.agent().process("write", id, {{"data", "\x03"}});
  const json::object ended = co_await trial.agent().wait(id);
  trial.field(ended, "exit_code", 9);
  trial.contains("output", text_field(ended, "output"), "caught");
}

Task<void> shows_a_screen(Trial& trial) {
  const std::string id = co_await start(
      trial,
      "printf '\\033[2J\\033[3;5Hhere\\033[1;1Htop\\033[4;2H\\033[31mred\\033[0m'; sleep 300");
  co_await screen_shows(trial, id, "red");
  const json::object now = co_await trial.agent().process("screen", id);
  const std::string screen = text_field(now, "screen");
  trial.holds(screen.starts_with("top\n\n    here\n red"), "screen", "top, here, red in place",
              screen.substr(0, 60));
  trial.field(now, "rows", 30);
  trial.field(now, "cols", 120);
}

Task<void> knows_the_other_screen(Trial& trial) {
  const std::string id = co_await start(
      trial,
      "echo before; printf '\\033[?1049h\\033[Hinside'; read x; printf '\\033[?1049l'; read x");
  co_await screen_shows(trial, id, "inside");
  const auto other = [&]() -> Task<bool> {
    const json::object now = co_await trial.agent().process("screen", id);
    const json::value* on = now.if_contains("alternate_screen");
    co_return on != nullptr && on->is_bool() && on->get_bool();
  };
  trial.holds(co_await other(), "alternate_screen", "true", "false");
  co_await trial.agent().process("submit", id, {{"data", ""}});
  co_await screen_shows(trial, id, "before");
  trial.holds(!co_await other(), "alternate_screen", "false", "true");
}

Task<void> waits_for_input(Trial& trial) {
  const std::string id = co_await start(trial, "read -p 'name? ' name; echo \"hi $name\"");
  const auto waits = [&]() -> Task<bool> {
    const json::object now = co_await trial.agent().process("poll", id);
    co_return now.contains("waiting_for_input");
  };
  trial.holds(co_await eventually(trial.agent(), waits), "waiting_for_input", "true", "none");
  co_await trial.agent().process("submit", id, {{"data", "you"}});
  const json::object ended = co_await trial.agent().wait(id);
  trial.contains("output", text_field(ended, "output"), "hi you");
}

Task<void> runs_a_shell(Trial& trial) {
  const std::string id = co_await start(trial, "PS1='> ' bash --norc --noprofile -i");
  co_await screen_shows(trial, id, ">");
  co_await trial.agent().process("submit", id, {{"data", "echo $((6 * 7))"}});
  co_await screen_shows(trial, id, "\n42");
  co_await trial.agent().process("submit", id, {{"data", "exit 4"}});
  const json::object ended = co_await trial.agent().wait(id);
  trial.field(ended, "exit_code", 4);
}

Task<void> kill_ends_a_terminal(Trial& trial) {
  const std::string id = co_await start(
      trial, "(setsid sleep 300 & echo $! > pid); trap '' TERM HUP; echo on; sleep 300");
  co_await screen_shows(trial, id, "on");
  const json::object killed = co_await trial.agent().process("kill", id);
  trial.field(killed, "status", "killed");
  const std::string look = "[ -s pid ] && " + is_gone("$(cat pid)") + " && echo gone";
  co_await trial.shows("its child", look, "gone");
}

}  // namespace

std::vector<CheckCase> terminal_cases() {
  return {
      {"terminal", "is-one", Ability::terminals, is_one},
      {"terminal", "has-a-size", Ability::terminals, has_a_size},
      {"terminal", "reports-a-new-size", Ability::terminals, reports_a_new_size},
      {"terminal", "echoes-and-ends-input", Ability::terminals, echoes_and_ends},
      {"terminal", "interrupts-by-key", Ability::terminals, interrupt_key},
      {"terminal", "shows-its-screen", Ability::terminals, shows_a_screen},
      {"terminal", "knows-the-other-screen", Ability::terminals, knows_the_other_screen},
      {"terminal", "says-who-waits-for-input", Ability::terminals, waits_for_input},
      needs_bash({"terminal", "runs-an-interactive-shell", Ability::terminals, runs_a_shell}),
      {"terminal", "kill-ends-its-tree", Ability::terminals, kill_ends_a_terminal},
  };
}

}  // namespace talaria::front::check
