// Starts that were judged by their words: those are not started that would meet something else.
#include <algorithm>
#include <utility>

#include "runner/limits.h"
#include "runner/met_definitions.h"
#include "runner/supervisor.h"

namespace talaria::runner {

Result<std::shared_ptr<const LoginState>> Supervisor::login_of(const link::Start& start) {
  if (start.login.empty()) return nullptr;
  auto login = logins_.find(start.login);
  if (!login) return fail(ErrorKind::unavailable, "login " + start.login + " is not known here");
  return login;
}

Result<shell::SessionDefinitions> Supervisor::met_by_words(const link::Start& start) {
  const auto login = login_of(start);
  if (!login) return fail(login.error());
  shell::NameMap inherited;
  add_inherited_functions(start.env, inherited);
  if (start.env.empty() || start.env_added) add_inherited_functions(own_environment_, inherited);
  return session(start.session).met_by(start.words, inherited, login->get());
}

Result<std::optional<link::Unjudged>> Supervisor::unjudged(const link::Start& start) {
  if (start.words.empty() || stopping_) return std::nullopt;
  auto met = met_by_words(start);
  if (!met) return fail(met.error());
  if (digest_of(*met) == start.definitions) return std::nullopt;
  refused_.push_back(start.start_id);
  if (refused_.size() > kMaxRefused) refused_.pop_front();
  return to_link(std::move(*met));
}

// It comes again because its answer was lost. It has an answer already, whatever has changed since.
Result<Supervisor::StartedRun> Supervisor::find_started(const std::string& process,
                                                        const link::Start& start) {
  if (std::ranges::find(refused_, start.start_id) != refused_.end()) {
    auto met = met_by_words(start);
    if (!met) return fail(met.error());
    return StartedRun{.unjudged = to_link(std::move(*met))};
  }
  auto run = find(process);
  if (!run) return fail(run.error());
  return StartedRun{.run = std::move(*run), .known = true};
}

}  // namespace talaria::runner
