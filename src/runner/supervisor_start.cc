// What a command is given when it starts, of Supervisor.
#include <utility>

#include "os/clock.h"
#include "runner/limits.h"
#include "runner/supervisor.h"
#include "runner/terminal_size.h"

namespace talaria::runner {
namespace {

std::chrono::milliseconds grace_of(const link::Start& start) {
  return start.grace_ms == 0 ? kDefaultGrace : std::chrono::milliseconds(start.grace_ms);
}

// check_start() has looked at it.
std::optional<link::TerminalSize> wanted_terminal(const link::Start& start) {
  if (!start.pty) return std::nullopt;
  return *terminal_size_or_default(*start.pty);
}

}  // namespace

Result<std::shared_ptr<Run>> Supervisor::start_in_session(link::Start start) {
  auto login = login_of(start);
  if (!login) return fail(login.error());
  const auto sudo = grant_for(start);
  if (!sudo) return fail(sudo.error());
  const auto script = desk_for(start);
  if (!script) return fail(script.error());
  shell::NameMap given = *sudo ? askpass_.variables(**sudo) : shell::NameMap();
  if (*script) given.merge((*script)->variables());
  const std::optional<link::TerminalSize> terminal = wanted_terminal(start);
  RunRequest request{.spec = {.process = start.start_id,
                              .session = start.session,
                              .command = std::move(start.command),
                              .timeout = std::chrono::milliseconds(start.timeout_ms),
                              .grace = grace_of(start),
                              .lifetime = start.lifetime,
                              .max_age = std::chrono::milliseconds(start.max_age_ms),
                              .started_ms = os::milliseconds_since_1970(),
                              .owner = std::move(start.owner),
                              .watch = std::move(start.watch),
                              .keeper = this,
                              .notify = start.notify,
                              .hand_over = start.hand_over,
                              .pty = terminal.has_value(),
                              .first_size = terminal.value_or(link::TerminalSize()),
                              .sudo = *sudo,
                              .script = *script,
                              .shown_command = std::move(start.shown_command)},
                     .caller = environment_for(start),
                     .workdir = std::move(start.cwd),
                     .first_cwd = start.first_cwd.empty() ? home() : std::move(start.first_cwd),
                     .move_to = std::move(start.move_to),
                     .first_umask = start.umask
                                        ? std::optional(static_cast<int>(*start.umask & 0777))
                                        : std::nullopt,
                     .login = std::move(*login),
                     .given = std::move(given),
                     .with_stdin = start.stdin_mode == link::StdinMode::stream,
                     .terminal = terminal ? std::optional(to_window_size(*terminal)) : std::nullopt,
                     .log = make_log(start)};
  if (*sudo) request.log->hide((*sudo)->password());
  return session(start.session).start(std::move(request));
}

Result<std::shared_ptr<SudoGrant>> Supervisor::grant_for(link::Start& start) {
  if (!start.sudo_password) return nullptr;
  Secret password(*start.sudo_password);
  wipe(*start.sudo_password);
  return askpass_.grant(std::move(password));
}

Result<std::shared_ptr<ScriptDesk>> Supervisor::desk_for(const link::Start& start) {
  if (!start.script) return nullptr;
  const ScriptDesk::Place place{
      .directory = options_.directory + "/scripts/" + start.start_id,
      .socket = options_.directory + "/rpc-" + std::to_string(++scripts_)};
  return ScriptDesk::open(loop_, place, *start.script);
}

std::unique_ptr<OutputLog> Supervisor::make_log(const link::Start& start) const {
  const bool background = start.lifetime != link::ProcessLifetime::foreground;
  SpillOptions spill{.path = options_.directory + "/spill/" + start.start_id,
                     .quota = start.spill_quota,
                     .after = kSpillAfter,
                     .rolls = background};
  const std::size_t tail = start.stream_output ? kStreamedTail
                           : background        ? kBackgroundTail
                                               : kOutputTail;
  return std::make_unique<OutputLog>(background ? 0 : kOutputHead, tail, std::move(spill));
}

}  // namespace talaria::runner
