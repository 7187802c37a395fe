#include "front/cli/code_front.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include <boost/json/object.hpp>

#include "base/text.h"
#include "base/visible_text.h"
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
  if (fd < 0) return fail(Error::from_errno(file));
  std::string text;
  std::vector<char> piece(64 * 1024);
  ssize_t size = 0;
  while (text.size() <= kLongestScript &&
         ((size = ::read(fd, piece.data(), piece.size())) > 0 || (size < 0 && errno == EINTR))) {
    if (size > 0) text.append(piece.data(), static_cast<std::size_t>(size));
  }
  const Error trouble = Error::from_errno(file);
  if (fd != STDIN_FILENO) ::close(fd);
  if (size < 0) return fail(trouble);
  if (text.size() > kLongestScript) return fail(ErrorKind::limit, file + ": over 16 MiB");
  if (!is_valid_utf8(text)) return fail(ErrorKind::bad_request, file + ": not UTF-8");
  return text;
}

int code_for(const json::object& result) {
  const std::string status = text_field(result, "status");
  if (status == "success") return 0;
  if (status == "timeout") return kCodeTimedOut;
  return status == "interrupted" ? kCodeInterrupted : kCodeFailed;
}

}  // namespace

void tell_tool_call(const ObservedCall& call, const Stdio& stdio) {
  constexpr std::size_t kShown = 100;
  if (call.result || call.tool == "execute_code") return;
  const std::string arguments = visible_text(call.arguments);
  complain(stdio, std::string(call.tool) + " " + std::string(first_chars(arguments, kShown)) +
                      (count_chars(arguments) > kShown ? "..." : ""));
}

Task<int> code_front(AsioRuntime& runtime, CodeOptions options, Stdio stdio) {
  const auto source = read_script(options.file);
  if (!source) co_return report_error(source.error(), options.json, stdio);
  const Cancel cancel;
  std::optional<StopSignals> signals(std::in_place, co_await asio::this_coro::executor,
                                     [cancel](int) { cancel.cancel(); });
  const std::string arguments = to_line(json::object{{"code", *source}});
  const Result<json::object> result = co_await runtime.call_text(
      "execute_code", arguments, CallContext{.task = options.task}, cancel);
  if (!result) co_return report_error(result.error(), options.json, stdio);

  signals.reset();  // from here on one ends us as it would anybody
  const int code = code_for(*result);
  if (options.json) co_return write_output(stdio, to_line(*result) + "\n") ? code : kCodeFailed;
  if (!write_output(stdio, text_field(*result, "output"))) co_return kCodeFailed;
  // What it wrote to its standard error is a part of the output.
  const std::string error = text_field(*result, "error");
  if (!error.empty() && !text_field(*result, "output").ends_with(error)) complain(stdio, error);
  co_return code;
}

}  // namespace talaria::front::cli
