#include <talaria/runtime.h>

#include <expected>
#include <optional>
#include <utility>

#include <boost/json/object.hpp>

#include "api/cancel_watch.h"
#include "api/input_state.h"
#include "api/runtime_loop.h"
#include "base/result.h"
#include "base/task.h"
#include "json/json_text.h"

namespace talaria {

namespace json = boost::json;

namespace {

// For a model, also if the tool was not called.
std::string to_text(const Result<json::object>& result) {
  return to_line(result ? *result : json::object{{"error", result.error().message()}});
}

// What on_output and on_errors of a command get, each with a tag of its own.
OutputRelay::Sink take_output_sinks(Command& command) {
  return
      [output = std::exchange(command.on_output, {}),
       errors = std::exchange(command.on_errors, {})](
          std::uint64_t stream, std::string_view bytes) { (stream == 0 ? output : errors)(bytes); };
}

// Ends the stream of an Input when its command has ended.
class InputOfCall {
 public:
  explicit InputOfCall(Command& command) : input_(command.input) {
    if (input_) command.stdin_fd = input_->state()->read_end();
  }
  InputOfCall(const InputOfCall&) = delete;
  InputOfCall& operator=(const InputOfCall&) = delete;
  ~InputOfCall() {
    if (input_) input_->state()->nobody_reads();
  }

 private:
  std::optional<Input> input_;
};

Task<Result<Outcome>> run_with_input(AsioRuntime& runtime, Command command, Cancel cancel) {
  if (command.input && command.stdin_fd) {
    co_return fail(ErrorKind::bad_request, "input and stdin_fd: only one of them is possible");
  }
  const InputOfCall input(command);
  co_return co_await runtime.run(std::move(command), std::move(cancel));
}

// `apart`: on_errors was set.
Task<Result<Outcome>> run_relayed(AsioRuntime& runtime, Command command, bool apart, Cancel cancel,
                                  std::shared_ptr<OutputRelay> relay) {
  const InputOfCall input(command);
  command.on_output = [relay](std::string_view bytes) { relay->add(0, bytes); };
  if (apart) command.on_errors = [relay](std::string_view bytes) { relay->add(1, bytes); };
  const CancelWatch watch(cancel, [relay] { relay->cancel().cancel(); });
  auto outcome = co_await runtime.run(std::move(command), relay->cancel(), relay->flow());
  co_await relay->drained();
  if (std::optional<Error> error = relay->error()) co_return fail(std::move(*error));
  co_return outcome;
}

std::string text_of(double value) {
  const json::value number(value);
  return json::serialize(number);
}

// As the settings of a task are called.
json::object overrides_of(const TaskPlace& place) {
  json::object overrides;
  if (place.target) overrides["env_type"] = target_name(*place.target);
  if (!place.cwd.empty()) overrides["cwd"] = place.cwd;
  for (const char* key : {"docker_image", "singularity_image", "modal_image", "daytona_image"}) {
    if (!place.image.empty()) overrides[key] = place.image;
  }
  if (place.cpu > 0) overrides["container_cpu"] = text_of(place.cpu);
  if (place.memory_mib > 0) overrides["container_memory"] = text_of(place.memory_mib);
  if (place.disk_mib > 0) overrides["container_disk"] = text_of(place.disk_mib);
  return overrides;
}

}  // namespace

Result<void> Runtime::check_library(unsigned headers) {
  if (is_compatible(headers, library_version_number())) return {};
  const auto shown = [](unsigned number) {
    return std::to_string(number / 10'000) + "." + std::to_string(number / 100 % 100) + "." +
           std::to_string(number % 100);
  };
  return fail(Error(ErrorReason::other_version, ErrorKind::unavailable,
                    "the program was compiled with the headers of Talaria " + shown(headers) +
                        ", and the library is of version " + shown(library_version_number()) +
                        "; compile it again"));
}

Result<Runtime> Runtime::open(Options options) {
  auto loop = std::make_shared<RuntimeLoop>(std::move(options));
  if (const Result<void> opened = loop->open(); !opened) return fail(opened.error());
  return Runtime(std::move(loop));
}

Runtime::Runtime(std::shared_ptr<RuntimeLoop> loop) : loop_(std::move(loop)) {}
Runtime::Runtime(Runtime&& other) noexcept = default;

Runtime& Runtime::operator=(Runtime&& other) noexcept {
  if (this == &other) return *this;
  close();
  loop_ = std::move(other.loop_);
  return *this;
}

Runtime::~Runtime() { close(); }

void Runtime::close() {
  if (!loop_) return;
  if (loop_->forked()) {
    // Its locks may be held by threads that this process does not have.
    (void)new std::shared_ptr<RuntimeLoop>(std::move(loop_));
    return;
  }
  loop_->close();
  loop_.reset();
}

Result<Outcome> Runtime::run(Command command, Cancel cancel) {
  const auto loop = loop_;
  if (!command.on_output) {
    return loop->wait<Outcome>("run()", [&](AsioRuntime& runtime) {
      return run_with_input(runtime, std::move(command), std::move(cancel));
    });
  }
  const bool apart = static_cast<bool>(command.on_errors);
  auto sink = take_output_sinks(command);
  return loop->wait_relayed<Outcome>(
      "run()", std::move(sink), [&](AsioRuntime& runtime, std::shared_ptr<OutputRelay> relay) {
        return run_relayed(runtime, std::move(command), apart, std::move(cancel), std::move(relay));
      });
}

void Runtime::run(Command command, Cancel cancel, std::function<void(Result<Outcome>)> done) {
  if (!command.on_output) {
    return loop_->start<Outcome>(
        [command = std::move(command), cancel = std::move(cancel)](AsioRuntime& runtime) mutable {
          return run_with_input(runtime, std::move(command), std::move(cancel));
        },
        std::move(done));
  }
  const bool apart = static_cast<bool>(command.on_errors);
  auto sink = take_output_sinks(command);
  loop_->start_relayed<Outcome>(
      std::move(sink),
      [command = std::move(command), apart, cancel = std::move(cancel)](
          AsioRuntime& runtime, std::shared_ptr<OutputRelay> relay) mutable {
        return run_relayed(runtime, std::move(command), apart, std::move(cancel), std::move(relay));
      },
      std::move(done));
}

std::string Runtime::call(std::string tool, std::string_view arguments, CallContext context,
                          Cancel cancel) {
  if (context.task.empty()) context.task = loop_->own_task();
  return to_text(loop_->wait<json::object>("call()", [&](AsioRuntime& runtime) {
    return runtime.call_text(std::move(tool), arguments, std::move(context), std::move(cancel));
  }));
}

void Runtime::call(std::string tool, std::string_view arguments, CallContext context, Cancel cancel,
                   std::function<void(std::string)> done) {
  if (context.task.empty()) context.task = loop_->own_task();
  loop_->start<json::object>(
      [tool = std::move(tool), text = std::string(arguments), context = std::move(context),
       cancel = std::move(cancel)](AsioRuntime& runtime) mutable {
        return runtime.call_text(std::move(tool), text, std::move(context), std::move(cancel));
      },
      [done = std::move(done)](const Result<json::object>& result) { done(to_text(result)); });
}

std::vector<EnvironmentInfo> Runtime::environments() {
  return loop_
      ->ask<std::vector<EnvironmentInfo>>(
          [](const AsioRuntime& runtime) { return runtime.environments(); })
      .value_or(std::vector<EnvironmentInfo>());
}

Result<void> Runtime::remove_environment(const std::string& id, Removal how) {
  return loop_->wait<void>("remove_environment()", [&](AsioRuntime& runtime) {
    return runtime.remove_environment(id, how);
  });
}

Result<std::size_t> Runtime::remove_all_environments(Removal how) {
  return loop_->wait<std::size_t>("remove_all_environments()", [&](AsioRuntime& runtime) {
    return as_result(runtime.remove_all_environments(how));
  });
}

Result<EnvironmentTotals> Runtime::environment_totals() {
  return loop_->wait<EnvironmentTotals>("environment_totals()", [](const AsioRuntime& runtime) {
    return as_result(runtime.environment_totals());
  });
}

Result<void> Runtime::override_task(const std::string& task, const TaskPlace& place) {
  return loop_->ask<void>(
      [&](AsioRuntime& runtime) { return runtime.override_task(task, overrides_of(place)); });
}

Result<void> Runtime::clear_override(const std::string& task) {
  return loop_->ask<void>([&](AsioRuntime& runtime) {
    runtime.clear_override(task);
    return Result<void>();
  });
}

Result<void> Runtime::pass_through(const std::string& name) {
  return loop_->ask<void>([&](AsioRuntime& runtime) { return runtime.pass_through(name); });
}

std::vector<RefusedFile> Runtime::share_files(const std::vector<std::string>& paths) {
  using Refused = std::vector<RefusedFile>;
  Result<Refused> refused = loop_->ask<Refused>([&](AsioRuntime& runtime) -> Result<Refused> {
    return runtime.share_files(json::array(paths.begin(), paths.end()));
  });
  if (refused) return std::move(*refused);
  Refused all;  // the runtime is being destroyed
  for (const std::string& path : paths) all.push_back({path, refused.error().message()});
  return all;
}

Result<void> Runtime::requirements() {
  return loop_->ask<void>([](const AsioRuntime& runtime) { return runtime.requirements(); });
}

}  // namespace talaria
