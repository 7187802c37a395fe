#include <fcntl.h>
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
  if (!write_output(stdio, text_field(*result, "output"))) co_return kFailed;
  // The output ends with what the script wrote to standard error.
  const std::string error = text_field(*result, "error");
  if (!error.empty() && !text_field(*result, "output").ends_with(error)) complain(stdio, error);
  co_return code;
}

}  // namespace talaria::front::cli
