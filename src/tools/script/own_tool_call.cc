#include "tools/script/own_tool_call.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/event.h"
#include "base/result.h"
#include "host/hooks.h"
#include "json/json_text.h"

namespace talaria::tool {
namespace {

// Shared by the script's call and the thread that answers. If nobody keeps the reply, the call
// ends.
struct OwnAnswer {
  explicit OwnAnswer(asio::any_io_executor its_executor) : executor(std::move(its_executor)) {}

  asio::any_io_executor executor;
  AsyncEvent came;  // for the loop's thread alone
  std::mutex mutex;
  std::optional<Result<std::string>> result;
  bool over = false;  // nobody waits any more: the executor may be gone
};

void give(const std::shared_ptr<OwnAnswer>& answer, Result<std::string> result) {
  const std::scoped_lock lock(answer->mutex);
  if (answer->over || answer->result) return;
  answer->result = std::move(result);
  asio::post(answer->executor, [answer] { answer->came.set(); });
}

// The last copy that is destroyed says that there will be no answer.
struct LastReply {
  explicit LastReply(std::shared_ptr<OwnAnswer> its_answer) : answer(std::move(its_answer)) {}
  LastReply(const LastReply&) = delete;
  LastReply& operator=(const LastReply&) = delete;
  ~LastReply() { give(answer, fail(ErrorKind::unavailable, "the tool gave no answer")); }

  std::shared_ptr<OwnAnswer> answer;
};

json::value error_value(std::string message) { return json::object{{"error", std::move(message)}}; }

}  // namespace

std::vector<std::string> own_tool_names(const CallContext& context) {
  std::vector<std::string> names;
  if (!context.own_tools) return names;
  for (const OwnTool& one : context.own_tools->tools) {
    const bool wanted =
        !context.tools || std::ranges::find(*context.tools, one.name) != context.tools->end();
    if (wanted) names.push_back(one.name);
  }
  return names;
}

const OwnTool* find_own_tool(const CallContext& context, std::string_view name) {
  if (!context.own_tools) return nullptr;
  const auto found = std::ranges::find(context.own_tools->tools, name, &OwnTool::name);
  return found == context.own_tools->tools.end() ? nullptr : &*found;
}

Task<json::value> call_own_tool(const ToolCall& call, std::string name, json::object arguments,
                                CancelToken cancel) {
  const auto answer = std::make_shared<OwnAnswer>(co_await asio::this_coro::executor);
  const OwnToolCall question{.tool = std::move(name),
                             .arguments = to_line(arguments),
                             .task = call.context.task,
                             .session_key = call.context.session_key,
                             .id = call.context.id};
  cancel.on_cancel([answer] { answer->came.set(); });
  bool asked = false;
  {
    const auto last = std::make_shared<LastReply>(answer);
    asked = host::call_own_tool(
        *call.context.own_tools, question,
        [last](Result<std::string> result) { give(last->answer, std::move(result)); });
  }
  if (asked) co_await answer->came.wait();
  cancel.on_cancel(nullptr);
  const std::scoped_lock lock(answer->mutex);
  answer->over = true;
  if (cancel.cancelled()) co_return error_value("The script has ended.");
  if (!asked || !answer->result) co_return error_value("the tool failed");
  if (!*answer->result) co_return error_value(answer->result->error().message());
  ParsedJson parsed = parse_json(**answer->result);
  if (!parsed.value) co_return error_value("the tool gave no valid JSON");
  co_return std::move(*parsed.value);
}

}  // namespace talaria::tool
