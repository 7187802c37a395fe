#include "api/asio_sessions.h"

#include <utility>

#include "api/call_under_way.h"
#include "api/checks.h"
#include "api/core.h"
#include "base/keep_alive.h"
#include "base/text.h"
#include "shell/quote.h"
#include "tools/exec.h"

namespace talaria {
namespace {

using CorePointer = std::shared_ptr<AsioRuntime::Core>;

Task<Result<std::string>> directory_set(CorePointer core, std::string task, std::string directory,
                                        std::vector<std::string> variables, CancelToken cancel) {
  for (const auto& fine : {check_text("cwd", directory), check_task(task)}) {
    if (!fine) co_return fail(fine.error());
  }
  const auto config = core->host().settings.of(task);
  if (!config) co_return fail(config.error());
  const bool from_home = directory == "~" || directory.starts_with("~/");
  const std::string word =
      from_home ? "~" + (directory.size() > 1 ? "/" + shell::single_quote(directory.substr(2)) : "")
                : shell::single_quote(directory);
  Command command{.text = "CDPATH= \\command cd -- " + word,
                  .task = task,
                  .first_directory = (*config)->cwd,
                  .variables = std::move(variables),
                  .errors_apart = true};
  const tool::CommandRun run =
      co_await tool::exec(core->services(), std::move(command), std::move(cancel));
  if (!run.outcome) co_return fail(run.outcome.error());
  if (tool::result_code(*run.outcome) == 0) co_return run.outcome->cwd;
  co_return fail(ErrorKind::bad_request, "the session cannot be in '" + directory +
                                             "': " + sanitize_utf8(trim(run.outcome->errors)));
}

Task<Result<void>> session_ended(CorePointer core, std::string task) {
  host::Host& host = core->host();
  const auto config = host.settings.of(task);
  if (!config) co_return fail(config.error());
  if (!host.environments.has_session(task)) co_return Result<void>();
  const auto environment = co_await host.environments.get(task, *config);
  if (!environment) co_return fail(environment.error());
  const auto ended = co_await (*environment)->end_session(task);
  if (ended) host.environments.session_is_at(task, "");
  co_return ended;
}

}  // namespace

Result<SessionFacts> AsioSessions::find(const std::string& task) {
  host::Host& host = core_->host();
  const auto config = host.settings.of(task);
  if (!config) return fail(config.error());
  SessionFacts facts{.directory = host.environments.directory_of(task),
                     .target = host.settings.target_of(task)};
  if (facts.directory.empty()) facts.directory = host.environments.stored_directory_of(task);
  facts.exists = host.environments.has_session(task);
  return facts;
}

std::string AsioSessions::first_directory(const std::string& task) const {
  const auto config = core_->host().settings.of(task);
  return config ? (*config)->cwd : "";
}

asio::awaitable<Result<std::string>> AsioSessions::set_directory(
    std::string task, std::string directory, std::vector<std::string> variables) {
  return run_call(core_, Cancel(),
                  [core = core_, task = std::move(task), directory = std::move(directory),
                   variables = std::move(variables)](CancelToken token) {
                    return directory_set(core, task, directory, variables, std::move(token));
                  });
}

asio::awaitable<Result<void>> AsioSessions::end(std::string task) {
  return run_call(core_, Cancel(), [core = core_, task = std::move(task)](const CancelToken&) {
    return session_ended(core, task);
  });
}

void AsioSessions::forget_reads(const std::string& task) { core_->files().forget_reads(task); }

}  // namespace talaria
