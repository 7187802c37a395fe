#include "api/asio_runtime.h"

#include <talaria/call.h>
#include <talaria/command.h>

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "api/call_under_way.h"
#include "api/checks.h"
#include "api/core.h"
#include "base/keep_alive.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/text.h"
#include "policy/approval/isolation.h"
#include "tools/arguments.h"
#include "tools/call_tool.h"
#include "tools/exec.h"
#include "tools/shown_output.h"
#include "tools/tool_table.h"

namespace talaria {

namespace json = boost::json;

namespace {

Result<void> check_timeout(std::chrono::milliseconds timeout) {
  if (timeout >= timeout.zero() && timeout <= kMaxDuration) return {};
  return fail(ErrorKind::bad_request, "timeout: expected 0 (none) to " +
                                          std::to_string(kMaxDuration.count()) + " seconds, got " +
                                          in_seconds(timeout));
}

Result<void> check_input(const std::optional<std::string>& input) {
  if (!input || input->size() <= kMaxStdinBytes) return {};
  return fail(ErrorKind::limit, "stdin_data: more than the limit of " +
                                    std::to_string(kMaxStdinBytes) +
                                    " bytes; put it in a file and let the command read that");
}

// Rejects what no target can run, before anything is started.
Result<void> check_command(const Command& command) {
  if (command.task && command.task->empty()) {
    return fail(ErrorKind::bad_request, "task: empty; leave it out for no session");
  }
  if (command.on_errors && !command.on_output) {
    return fail(ErrorKind::bad_request, "on_errors: it needs on_output, too");
  }
  for (const Result<void>& found :
       {check_text("text", command.text), check_task(command.task.value_or("")),
        check_text("session_key", command.session_key),
        check_text("workdir", command.workdir.value_or("")), check_text("user", command.user),
        check_timeout(command.timeout), check_variables(command.variables),
        check_input(command.stdin_data)}) {
    if (!found) return found;
  }
  return {};
}

Result<void> check_context(const CallContext& context) {
  if (const Result<void> task = check_task(context.task); !task) return task;
  if (const Result<void> fine = check_variables(context.variables); !fine) return fine;
  return check_text("session_key", context.session_key);
}

// OutputGuard: wraps on_output and on_errors, which are the caller's code. After an exception they
// are not called again, and the command is cancelled.
class OutputGuard {
 public:
  // Must outlive the command. `give_up` is called at most once, from within on_output.
  OutputGuard(Command& command, const std::function<void()>& give_up) {
    for (auto* sink : {&command.on_output, &command.on_errors}) {
      if (!*sink) continue;
      *sink = [this, give_up, next = std::move(*sink)](std::string_view bytes) {
        if (thrown_) return;
        try {
          next(bytes);
        } catch (...) {
          thrown_ = std::current_exception();
          give_up();
        }
      };
    }
  }
  OutputGuard(const OutputGuard&) = delete;
  OutputGuard& operator=(const OutputGuard&) = delete;

  std::optional<Error> error() const {
    if (!thrown_) return std::nullopt;
    return Error(ErrorKind::bad_request,
                 "on_output threw: " + exception_text(thrown_) + "; the command was cancelled");
  }

 private:
  std::exception_ptr thrown_;
};

Error bug(const std::string& where, const std::exception_ptr& thrown) {
  return Error(ErrorKind::system, "internal error in " + where + ": " + exception_text(thrown) +
                                      " (a bug in Talaria)");
}

struct ShownStreams {
  tool::ShownOutput output;
  tool::ShownOutput errors;
};

// Of a stream that is not shown as text.
tool::ShownOutput raw_output(const environment::CommandOutcome& stream) {
  std::string bytes = stream.head + stream.tail;
  const bool cut = stream.total > bytes.size();
  return {std::move(bytes), cut};
}

environment::CommandOutcome errors_of(const environment::CommandOutcome& found) {
  return {.total = found.errors_total, .head = found.errors, .tail = found.errors_tail};
}

// `raw`: byte for byte.
ShownStreams show(const environment::CommandOutcome& found, bool raw, std::size_t most) {
  if (raw) return {raw_output(found), raw_output(errors_of(found))};
  return {tool::shown_output(found, "", {most}), tool::shown_output(errors_of(found), "", {most})};
}

Outcome to_outcome(environment::CommandOutcome found, const tool::CallFacts& facts,
                   ShownStreams shown) {
  return {.ended = found.ended,
          .exit_code = tool::result_code(found),
          .output = std::move(shown.output.text),
          .truncated = shown.output.cut || shown.errors.cut,
          .output_bytes = found.total,
          .errors = std::move(shown.errors.text),
          .errors_bytes = found.errors_total,
          .full_output_path = std::move(found.spill_path),
          .cwd = std::move(found.cwd),
          .duration = found.duration,
          .survivors = std::move(found.survivors),
          .background_children = found.background_children,
          .oom_killed = found.oom_killed,
          .notices = std::move(found.notices),
          .target = facts.target,
          .transport = facts.transport.value_or("")};
}

using CorePointer = std::shared_ptr<AsioRuntime::Core>;

Task<std::size_t> all_removed(CorePointer core, Removal how, Cancel cancel) {
  CancelToken stop;
  const CancelWatch watch(cancel, [core = core.get(), stop] { core->cancel_later(stop); });
  co_return (co_await core->host().environments.close_all(how.everything, stop)).count;
}

// An invalid command is reported like one that could not be run.
Task<tool::CommandRun> run_checked(CorePointer core, Command command, Cancel cancel,
                                   std::shared_ptr<OutputFlow> flow = nullptr) {
  tool::CommandRun run{.facts = {.target = core->host().settings.target()}};
  if (const Result<void> fine = check_command(command); !fine) {
    run.outcome = fail(fine.error());
    co_return run;
  }
  const CallUnderWay call(core, cancel);
  const OutputGuard guard(command, [&] { core->cancel_later(call.token()); });
  try {
    run = co_await tool::exec(core->services(), std::move(command), call.token(), std::move(flow));
  } catch (...) {
    run.outcome = fail(bug("run", std::current_exception()));
  }
  if (const std::optional<Error> error = guard.error()) run.outcome = fail(*error);
  co_return run;
}

// How the caller of a command wants its output.
struct WantedOutput {
  bool streamed = false;  // the caller has it
  bool raw = false;
  std::size_t most = 0;
};

WantedOutput wanted_output(const CorePointer& core, const Command& command) {
  const auto& config = core->host().settings.config();
  return {.streamed = static_cast<bool>(command.on_output),
          .raw = command.raw_output,
          .most = config ? tool::max_output(command, *config) : 0};
}

Result<Outcome> outcome_of(tool::CommandRun run, const WantedOutput& wanted) {
  if (!run.outcome) return fail(run.outcome.error());
  ShownStreams shown;
  if (!wanted.streamed) shown = show(*run.outcome, wanted.raw, wanted.most);
  return to_outcome(std::move(*run.outcome), run.facts, std::move(shown));
}

Task<Result<Outcome>> run_in(CorePointer core, Command command, Cancel cancel,
                             std::shared_ptr<OutputFlow> flow) {
  const WantedOutput wanted = wanted_output(core, command);
  tool::CommandRun run =
      co_await run_checked(core, std::move(command), std::move(cancel), std::move(flow));
  co_return outcome_of(std::move(run), wanted);
}

Task<AsioRuntime::DescribedOutcome> describe_in(CorePointer core, Command command, Cancel cancel) {
  const std::chrono::milliseconds timeout = command.timeout;
  command.on_output = nullptr;  // the result has the output
  command.on_errors = nullptr;
  const WantedOutput wanted = wanted_output(core, command);
  const std::string text = command.text;
  tool::CommandRun run = co_await run_checked(core, std::move(command), std::move(cancel));
  json::object result = tool::describe_exec(run, text, core->host().settings, timeout);
  co_return AsioRuntime::DescribedOutcome{outcome_of(std::move(run), wanted), std::move(result)};
}

Task<Result<json::object>> call_in(CorePointer core, std::string name, json::object arguments,
                                   CallContext context, Cancel cancel) {
  const tool::Tool* tool = tool::find_tool(name);
  if (!tool) {
    co_return fail(ErrorKind::not_found,
                   "unknown tool '" + name + "'. Use one of: " + tool::tool_names());
  }
  if (const Result<void> fine = check_context(context); !fine) co_return fail(fine.error());
  const CallUnderWay underway(core, cancel);
  tool::ToolCall call = tool::begin_call(core->services(), std::move(context), underway.token());
  call.arguments = std::move(arguments);
  call.files = &core->files();
  call.turns = &core->turns();
  try {
    co_return co_await tool::call_tool(*tool, std::move(call));
  } catch (...) {
    co_return fail(bug("tool '" + name + "'", std::current_exception()));
  }
}

Task<Result<json::object>> failing(Error error) { co_return fail(std::move(error)); }

}  // namespace

AsioRuntime::AsioRuntime(const asio::any_io_executor& executor, Options options)
    : core_(make_core(executor, std::move(options))) {}
AsioRuntime::AsioRuntime(std::shared_ptr<Core> core) : core_(std::move(core)) {}
AsioRuntime::AsioRuntime(AsioRuntime&& other) noexcept = default;

AsioRuntime& AsioRuntime::operator=(AsioRuntime&& other) noexcept {
  std::swap(core_, other.core_);
  return *this;
}

AsioRuntime::~AsioRuntime() {
  if (core_) core_->cancel_all_calls();
}

const asio::any_io_executor& AsioRuntime::executor() const { return core_->executor(); }

AsioRuntime::Facts AsioRuntime::facts() const {
  const host::Settings& settings = core_->host().settings;
  const Result<host::Config>& config = settings.config();
  if (!config) return {.target = settings.target()};
  return {.home = config->home,
          .target = config->target,
          .isolated = policy::isolation_of(*config, settings.caller()).isolated};
}

std::vector<ToolInfo> AsioRuntime::tools(
    const std::optional<std::vector<std::string>>& only) const {
  return tool::list_tools(core_->host().settings.config().value_or(host::Config{}), only);
}

Result<void> AsioRuntime::check() const { return core_->check(); }

std::vector<std::string> AsioRuntime::warnings() const {
  const Result<host::Config>& config = core_->host().settings.config();
  return config ? config->warnings : std::vector<std::string>();
}

Task<Result<Outcome>> AsioRuntime::run(Command command, Cancel cancel,
                                       std::shared_ptr<OutputFlow> flow) {
  return run_in(core_, std::move(command), std::move(cancel), std::move(flow));
}

Task<AsioRuntime::DescribedOutcome> AsioRuntime::run_and_describe(Command command, Cancel cancel) {
  return describe_in(core_, std::move(command), std::move(cancel));
}

Task<Result<json::object>> AsioRuntime::call(std::string tool, json::object arguments,
                                             CallContext context, Cancel cancel) {
  return call_in(core_, std::move(tool), std::move(arguments), std::move(context),
                 std::move(cancel));
}

Task<Result<json::object>> AsioRuntime::call_text(std::string tool, std::string_view arguments,
                                                  CallContext context, Cancel cancel) {
  Result<json::object> parsed = tool::parse_arguments(arguments);
  if (!parsed) return failing(parsed.error());
  return call(std::move(tool), std::move(*parsed), std::move(context), std::move(cancel));
}

std::vector<EnvironmentInfo> AsioRuntime::environments() const {
  return core_->host().environments.list();
}

bool AsioRuntime::has_environment(const std::string& task) const {
  return !core_->host().environments.transport_of(task).empty();
}

asio::awaitable<Result<void>> AsioRuntime::remove_environment(std::string id, Removal how) {
  return run_call(core_, Cancel(),
                  [core = core_.get(), id = std::move(id), how = std::move(how)](
                      const CancelToken&) { return core->host().environments.remove(id, how); });
}

asio::awaitable<std::size_t> AsioRuntime::remove_all_environments(Removal how, Cancel cancel) {
  return all_removed(core_, std::move(how), std::move(cancel));
}

void AsioRuntime::fill_pool() { core_->host().environments.fill_pool(); }

Task<void> AsioRuntime::end_pool() {
  const auto core = core_;
  co_await core->host().environments.end_pools();
}

PoolTotals AsioRuntime::pool_totals() const { return core_->host().environments.pool_totals(); }

asio::awaitable<EnvironmentTotals> AsioRuntime::environment_totals() const {
  return keep_alive(core_, core_->host().environments.totals());
}

Result<void> AsioRuntime::override_task(const std::string& task, const json::object& overrides) {
  return core_->host().settings.override_task(task, overrides);
}

void AsioRuntime::clear_override(const std::string& task) {
  core_->host().settings.clear_override(task);
}

json::object AsioRuntime::overrides() const { return core_->host().settings.overrides(); }

Result<void> AsioRuntime::pass_through(std::string_view name) {
  return core_->host().settings.variables().pass_through(name);
}

std::vector<RefusedFile> AsioRuntime::share_files(const json::array& files) {
  return core_->host().environments.shared_files().share(files);
}

bool AsioRuntime::shares_environments() const {
  const Result<host::Config>& config = core_->host().settings.config();
  return config && host::shares_environments(*config);
}

Result<void> AsioRuntime::requirements() const { return core_->host().environments.requirements(); }

asio::awaitable<Result<void>> AsioRuntime::reach() const {
  return core_->host().environments.reach();
}

}  // namespace talaria
