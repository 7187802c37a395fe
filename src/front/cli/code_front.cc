#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include <boost/json/object.hpp>

#include "base/text.h"
#include "base/visible_text.h"
#include "front/cli/fronts.h"
#include "front/cli/report.h"
#include "front/stop_signals.h"
#include "json/fields.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestScript = 16u << 20;

Result<std::string> read_script(const std::string& file) {
  const int fd = file == "-" ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(Error::from_errno("cannot open " + file));
  struct stat facts{};
  if (::fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode)) {
    if (fd != STDIN_FILENO) ::close(fd);
    return fail(ErrorKind::bad_request, "cannot read " + file +
                                            ": it is a directory. Name a Python file, or - for "
                                            "standard input");
  }
  auto text = read_fully(fd, kLongestScript, file);
  if (fd != STDIN_FILENO) ::close(fd);
  if (!text) return text;
  if (text->size() > kLongestScript) return fail(ErrorKind::limit, file + ": over 16 MiB");
  if (!is_valid_utf8(*text)) return fail(ErrorKind::bad_request, file + ": not UTF-8");
  return text;
}

int code_for(const json::object& result) {
  const std::string status = text_field(result, "status");
  if (status == "success") return 0;
  if (status == "timeout") return kTimedOut;
  return status == "interrupted" ? kInterrupted : kFailed;
}

}  // namespace

// For models the output ends with what the script wrote to standard error, or with why it ended.
ScriptText script_text(const json::object& result) {
  ScriptText text{.output = text_field(result, "output"), .failure = text_field(result, "error")};
  const auto take_off = [&text](const std::string& end) {
    if (text.failure.empty() || !text.output.ends_with(end)) return false;
    text.output.resize(text.output.size() - end.size());
    return true;
  };
  if (take_off("\n--- stderr ---\n" + text.failure)) {
    text.errors = std::exchange(text.failure, "");
  } else if (take_off("⏰ " + text.failure)) {
    if (text.output.ends_with("\n\n")) text.output.resize(text.output.size() - 2);
    text.failure += " The limit is code_execution.timeout.";
  }
  return text;
}

void show_tool_call(const ObservedCall& call, const Stdio& stdio) {
  constexpr std::size_t kShown = 100;
  if (call.result || call.tool == "execute_code") return;
  const std::string arguments = visible_text(call.arguments);
  complain(stdio, std::string(call.tool) + " " + std::string(first_chars(arguments, kShown)) +
                      (count_chars(arguments) > kShown ? "..." : ""));
}

Task<int> run_command(AsioRuntime& runtime, CodeOptions options, Stdio stdio) {
  const auto source = read_script(options.file);
  if (!source) co_return report_error(source.error(), options.json, stdio);
  const Cancel cancel;
  std::optional<StopSignals> signals(std::in_place, co_await asio::this_coro::executor,
                                     [cancel](int) { cancel.cancel(); });
  const std::string arguments = to_line(json::object{{"code", *source}});
  const Result<json::object> result = co_await runtime.call_text(
      "execute_code", arguments,
      CallContext{.task = options.task, .own_directory = options.task.empty()}, cancel);
  if (!result) co_return report_error(result.error(), options.json, stdio);

  signals.reset();  // from here on a signal has its default effect
  const int code = code_for(*result);
  if (options.json) co_return write_output(stdio, to_line(*result) + "\n") ? code : kFailed;
  const ScriptText text = script_text(*result);
  if (!write_output(stdio, text.output)) co_return kFailed;
  write_fully(stdio.err, text.errors);
  if (!text.failure.empty()) complain(stdio, text.failure);
  co_return code;
}

}  // namespace talaria::front::cli
