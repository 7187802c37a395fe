#include "environment/link_starts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "environment/link_conversion.h"
#include "os/random.h"

namespace talaria::environment {
namespace {

constexpr std::size_t kMostKnownSessions = 4096;  // then each asks once more

// Unique, so that the runner can distinguish a command sent twice from two commands.
std::string new_process_id() { return "proc_" + os::random_hex(6); }

link::Start start_of(CommandSpec spec) {
  link::Start start{.start_id = new_process_id(),
                    .session = std::move(spec.session),
                    .command = std::move(spec.command),
                    .cwd = std::move(spec.workdir),
                    .env = std::move(spec.env),
                    .timeout_ms = static_cast<std::uint64_t>(spec.timeout.count()),
                    .head_limit = spec.head_limit,
                    .tail_limit = spec.tail_limit,
                    .spill_quota = spec.spill_quota,
                    .first_cwd = std::move(spec.first_cwd),
                    .umask = spec.umask,
                    .move_to = std::move(spec.move_to),
                    .hand_over = spec.if_handed_over.has_value(),
                    .words = std::move(spec.judged.words),
                    .definitions = std::move(spec.judged.definitions),
                    .variables = std::move(spec.judged.variables),
                    .uses_directory = spec.judged.uses_directory,
                    .facts = std::move(spec.judged.facts)};
  if (spec.script) {
    start.script = link::Script{.source = std::move(spec.script->source),
                                .module = std::move(spec.script->module),
                                .error_limit = spec.script->error_limit};
  }
  start.spares_session = !spec.changes_session;
  if (spec.sudo_password) start.sudo_password = spec.sudo_password->view();
  start.shown_command = std::move(spec.shown_command);
  if (spec.if_handed_over) add_process(start, std::move(*spec.if_handed_over));
  return start;
}

link::Login login_request(const LoginFiles& files, const CommandSpec& spec, bool elsewhere) {
  return {.env = spec.env.get(),
          .files = files.files,
          .bashrc = files.bashrc,
          .withheld = files.withheld,
          .session = spec.session,
          .env_added = elsewhere && !spec.env.empty()};
}

// Cancelling ends the wait, not the reading. A runner that is lost meanwhile is `unavailable`: no
// command was started.
Task<Result<link::LoginReport>> ask_login(std::shared_ptr<link::LinkDriver> driver,
                                          link::Login request, CancelToken cancel) {
  const Result<std::string> body = co_await driver->call(std::move(request), {}, std::move(cancel));
  if (body) co_return link::decode<link::LoginReport>(*body);
  const Error& error = body.error();
  switch (error.kind()) {
    case ErrorKind::bad_request:  // a runner of an older version: its sessions start without
      co_return link::LoginReport{.notices = {"login files were not read: " + error.message()}};
    case ErrorKind::runner_lost:
      co_return fail(ErrorKind::unavailable, error.message());
    case ErrorKind::interrupted:
      co_return fail(ErrorKind::interrupted, "cancelled before it started");
    default:
      co_return fail(error);
  }
}

}  // namespace

shell::SessionDefinitions from_link(link::Unjudged unjudged) {
  shell::SessionDefinitions definitions;
  for (link::Definition& one : unjudged.aliases)
    definitions.aliases[one.name] = std::move(one.text);
  for (link::Definition& one : unjudged.functions)
    definitions.functions[one.name] = std::move(one.text);
  for (link::Definition& one : unjudged.variables)
    definitions.variables[one.name] = std::move(one.text);
  definitions.directory = std::move(unjudged.directory);
  return definitions;
}

void add_process(link::Start& start, ProcessSpec spec) {
  start.max_age_ms = static_cast<std::uint64_t>(spec.max_age.count());
  start.notify = spec.notify;
  start.watch = std::move(spec.watch_patterns);
  start.owner = std::move(spec.session_key);
  start.changes_session = spec.changes_session;
  start.limits = to_link(spec.caps);
}

Task<Result<PreparedStart>> LinkStarts::prepare(CommandSpec spec, CancelToken cancel,
                                                bool with_login) {
  if (cancel.cancelled()) co_return fail(ErrorKind::interrupted, "cancelled before it started");
  if (options_.instance) options_.instance->used();
  if (options_.elsewhere) {
    spec.env = std::move(spec.carried_env);
    spec.umask.reset();
  }
  link::LoginReport login;
  // The next runner may know nothing of a session that this one had. (A batch is a stream of its
  // own.)
  if (options_.batch_ms == 0 && !driver_->connected()) known_sessions_.clear();
  if (with_login && !spec.session.empty() && !known_sessions_.contains(spec.session)) {
    auto report = co_await ask_login(
        driver_, login_request(options_.login, spec, options_.elsewhere), cancel);
    if (!report) co_return fail(report.error());
    login = std::move(*report);
  }
  // Only a session that is new to its runner gets a login.
  const bool is_new = !login.id.empty();
  const bool anew =
      is_new && !starting_anew_.contains(spec.session) && sessions_->contains(spec.session);
  if (anew) {
    starting_anew_.insert(spec.session);
    login.notices.emplace_back(
        "This session starts anew: the target was restarted or replaced, and the directory, "
        "variables and functions of the session were lost. Files that are kept in memory only are "
        "lost, too.");
  }
  const bool known = known_sessions_.contains(spec.session);
  PreparedStart prepared{.start = start_of(std::move(spec)),
                         .notices = std::move(login.notices),
                         .known_session = known,
                         .new_session = is_new,
                         .starts_anew = anew};
  prepared.start.login = std::move(login.id);
  prepared.start.env_added = options_.elsewhere && !prepared.start.env.empty();
  prepared.start.sequence = driver_->next_start_sequence();
  co_return prepared;
}

void LinkStarts::add_news(std::vector<std::string>& notices) const {
  if (!options_.instance) return;
  std::ranges::move(options_.instance->take_news(), std::back_inserter(notices));
}

Task<void> LinkStarts::answered(std::string session, bool ran, const PreparedStart& prepared) {
  if (!ran || known_sessions_.size() >= kMostKnownSessions) known_sessions_.clear();
  const bool first = ran && !session.empty() && known_sessions_.insert(session).second;
  if (first) co_await sessions_->add(session, prepared.new_session);
  given_up(session, prepared);
}

void LinkStarts::given_up(const std::string& session, const PreparedStart& prepared) {
  if (prepared.starts_anew) starting_anew_.erase(session);
}

Task<void> LinkStarts::forget(std::string session) {
  known_sessions_.erase(session);
  co_await sessions_->remove(std::move(session));
}

Task<void> LinkStarts::forget_all() {
  known_sessions_.clear();
  co_await sessions_->clear();
}

}  // namespace talaria::environment
