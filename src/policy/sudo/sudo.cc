#include "policy/sudo/sudo.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/cancel.h"
#include "base/event.h"
#include "base/secret.h"
#include "base/secret_mask.h"
#include "base/task.h"
#include "base/time_limit.h"
#include "environment/ask_program.h"
#include "host/hooks.h"
#include "os/terminal_question.h"
#include "policy/sudo/sudo_positions.h"

namespace talaria::policy {
namespace {

// Shared by the call that waits and the thread that answers.
struct Reply {
  explicit Reply(const asio::any_io_executor& its_executor) : executor(its_executor) {}

  asio::any_io_executor executor;
  AsyncEvent came;  // for the loop's thread alone
  std::mutex mutex;
  Secret password;
  bool over = false;  // answered, or no longer waited for: the executor may be gone
};

void answer(const std::shared_ptr<Reply>& reply, std::string_view password) {
  const std::scoped_lock lock(reply->mutex);
  if (reply->over) return;
  reply->over = true;
  reply->password = Secret(password);
  asio::post(reply->executor, [reply] { reply->came.set(); });
}

// In one line, without characters that control the terminal.
std::string shown(std::string_view command) {
  constexpr std::size_t kMost = 200;
  std::string line(command.substr(0, kMost));
  std::ranges::replace_if(line, [](char c) { return c < ' ' || c > '~'; }, '?');
  return command.size() > kMost ? line + " ..." : line;
}

Task<Secret> ask_password_by_hook(const Hooks& hooks, SudoRequest request, CancelToken cancel) {
  const auto reply = std::make_shared<Reply>(co_await asio::this_coro::executor);
  const auto until = AsyncEvent::Clock::now() + request.timeout;
  cancel.on_cancel([reply] { reply->came.set(); });
  const bool asked = host::ask_sudo_password(
      hooks, request, [reply](std::string_view password) { answer(reply, password); });
  if (asked) co_await reply->came.wait_until(until);
  cancel.on_cancel(nullptr);
  const std::scoped_lock lock(reply->mutex);
  reply->over = true;
  co_return std::move(reply->password);
}

Task<Secret> ask_password_at_terminal(SudoRequest request, CancelToken cancel) {
  const auto opened = os::TerminalQuestion::open(co_await asio::this_coro::executor);
  if (!opened || cancel.cancelled()) co_return Secret();
  os::TerminalQuestion& terminal = **opened;
  const std::string question = "\nThe command\n  " + shown(request.command) +
                               "\nwants sudo. Its password (not shown; Enter alone or " +
                               std::to_string(request.timeout.count()) +
                               " s without input: continue without one): ";
  cancel.on_cancel([&terminal] { terminal.give_up(); });
  auto typed = co_await within(request.timeout,
                               terminal.ask(question, os::TerminalQuestion::Typing::hidden));
  cancel.on_cancel(nullptr);
  const bool given = typed && *typed && !(*typed)->empty();
  terminal.say(given ? "\nStored in memory for this session.\n"
                     : "\nContinuing without a password.\n");
  co_return given ? std::move(**typed) : Secret();
}

constexpr std::chrono::seconds kSudoPatience{45};
constexpr auto kProbePatience = std::chrono::seconds(3);
constexpr std::string_view kSessionKey = "HERMES_SESSION_KEY=";

std::string session_key(const environment::CommandSpec& spec) {
  for (const std::string& entry : spec.env) {
    if (entry.starts_with(kSessionKey)) return entry.substr(kSessionKey.size());
  }
  return "";
}

// Two who ask never share a password.
std::string scope_of(const environment::CommandSpec& spec, const Hooks& hooks) {
  if (const std::string key = session_key(spec); !key.empty()) return "session:" + key;
  return hooks.ask_sudo_password ? "callback" : "process";
}

// Asked anew each time: somebody may have changed it.
Task<bool> sudo_asks_nobody() {
  environment::ProgramCall probe{.argv = {"sudo", "-n", "true"}, .patience = kProbePatience};
  const auto answer = co_await environment::ask_program(std::move(probe));
  co_return answer && answer->code == 0;
}

Task<Secret> ask_person(const Hooks& hooks, std::string task, std::string target,
                        const environment::CommandSpec& spec, CancelToken cancel) {
  SudoRequest request{.command = spec.command,
                      .session_key = session_key(spec),
                      .task = std::move(task),
                      .target = std::move(target),
                      .timeout = kSudoPatience};
  if (hooks.ask_sudo_password) {
    co_return co_await ask_password_by_hook(hooks, std::move(request), cancel);
  }
  co_return co_await ask_password_at_terminal(std::move(request), cancel);
}

// Nothing: there is no password, or none is needed.
Task<std::optional<Secret>> find_password(host::Interaction& people, host::ConfigPtr config,
                                          std::string task, std::string target,
                                          const environment::CommandSpec& spec, std::string& scope,
                                          CancelToken cancel) {
  if (config->sudo.password) co_return config->sudo.password;
  scope = scope_of(spec, people.hooks);
  host::SudoPasswords& passwords = people.sudo_passwords;
  if (const Secret* known = passwords.find(scope)) co_return *known;
  if (target == "local" && co_await sudo_asks_nobody()) co_return std::nullopt;
  const bool at_terminal = config->sudo.interactive || people.at_terminal;
  if (!people.hooks.ask_sudo_password && !at_terminal) co_return std::nullopt;
  const auto turn = co_await Gate::enter(passwords.asking());
  if (const Secret* known = passwords.find(scope)) co_return *known;
  Secret given =
      co_await ask_person(people.hooks, std::move(task), std::move(target), spec, cancel);
  if (given.empty()) co_return std::nullopt;
  passwords.keep(scope, given);
  co_return given;
}

std::string line_of(const Secret& password, const std::string& input) {
  return std::string(password.view()) + "\n" + input;
}

// The command reads its password before its own input, and so may print it.
void give_on_stdin(SudoUse& use, environment::CommandSpec& spec) {
  spec.stdin_data = line_of(use.password, spec.stdin_data.value_or(""));
  if (!spec.on_output) return;
  const auto mask = std::make_shared<SecretMask>(use.password);
  const auto pass_on = [show = std::move(spec.on_output)](std::string_view shown) {
    if (!shown.empty()) show(shown);
  };
  spec.on_output = [mask, pass_on](std::string_view bytes) { pass_on(mask->feed(bytes)); };
  use.show_rest = [mask, pass_on] { pass_on(mask->rest()); };
}

void take_out(const Secret& password, environment::CommandOutcome& outcome) {
  const auto shorten = [&](std::string& text) {
    const std::size_t before = text.size();
    text = without_secret(password, text);
    return before - std::min(before, text.size());
  };
  const std::size_t of_head = shorten(outcome.head);
  outcome.tail_from -= of_head;
  outcome.total -= of_head + shorten(outcome.tail);
}

bool says_wrong_password(std::string_view output) {
  return output.contains("incorrect password attempt") || output.contains("Sorry, try again");
}

}  // namespace

Task<SudoUse> prepare_sudo(host::Interaction& people, host::ConfigPtr config, std::string task,
                           const environment::Environment& environment,
                           environment::CommandSpec& spec, CancelToken cancel) {
  SudoUse use;
  const std::vector<std::size_t> positions = find_sudo(spec.command);
  if (positions.empty()) co_return use;
  auto password =
      co_await find_password(people, std::move(config), std::move(task),
                             std::string(environment.target()), spec, use.scope, std::move(cancel));
  if (!password) co_return use;
  use.password = std::move(*password);
  use.given = true;
  use.on_stdin = environment.transport() == "plain";
  const std::string_view options = use.on_stdin ? kStdinOptions : kAskpassOptions;
  std::string command = with_options(spec.command, positions, options);
  std::swap(spec.command, command);
  if (spec.shown_command.empty()) spec.shown_command = std::move(command);
  if (use.on_stdin) {
    give_on_stdin(use, spec);
  } else {
    spec.sudo_password = use.password;
  }
  co_return use;
}

void after_sudo(host::SudoPasswords& passwords, const SudoUse& use,
                environment::CommandOutcome& outcome) {
  if (!use.given) return;
  if (use.on_stdin) {
    if (use.show_rest) use.show_rest();
    take_out(use.password, outcome);
    outcome.sudo_rejected = says_wrong_password(outcome.head) || says_wrong_password(outcome.tail);
  }
  if (!outcome.sudo_rejected) return;
  if (use.scope.empty()) {
    outcome.notices.emplace_back(
        "sudo did not accept the password of the configuration "
        "(SUDO_PASSWORD)");
  } else {
    passwords.forget(use.scope);
    outcome.notices.emplace_back("sudo did not accept the password; it is forgotten");
  }
}

std::string sudo_tip(const host::Config& config, std::string_view output) {
  constexpr std::array<std::string_view, 3> kComplaints{
      "sudo: a password is required", "sudo: no tty present", "sudo: a terminal is required"};
  const auto complains = [&](std::string_view text) { return output.contains(text); };
  if (!config.sudo.in_chat || std::ranges::none_of(kComplaints, complains)) return "";
  return "\n\n💡 Tip: To enable sudo over messaging, add SUDO_PASSWORD to " + config.home +
         "/.env on the agent machine.";
}

}  // namespace talaria::policy
