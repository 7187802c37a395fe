#include "front/mcp/keeper_front.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <boost/json/array.hpp>

#include "front/lines/line_protocol.h"
#include "front/mcp/background_calls.h"
#include "front/stdio_client.h"
#include "json/fields.h"
#include "json/json_text.h"

namespace talaria::front::mcp {
namespace {

class KeeperFront {
 public:
  KeeperFront(const asio::any_io_executor& executor, AsioRuntime& runtime, Stdio stdio)
      : client_(executor, stdio,
                {.take = [this](std::string_view bytes) { perform(protocol_.feed(bytes)); },
                 .waiting_bytes = [] { return std::size_t{0}; },
                 .written = [] {},
                 .stop = [this] { calls_.stop(); }}),
        calls_(executor, runtime) {}

  Task<int> serve(std::function<void(int exit_code)> leave_client) {
    co_await client_.read();
    for (const auto& [key, request] : requests_) request->end();
    co_return co_await calls_.finish(client_, leave_client);
  }

 private:
  struct Request {
    Cancel cancel;
    AsyncEvent given_up;

    void end() {
      cancel.cancel();
      given_up.notify_all();
    }
  };
  using RequestPointer = std::shared_ptr<Request>;

  void perform(std::vector<lines::LineAction> actions) {
    for (lines::LineAction& action : actions) {
      if (auto* const ask = std::get_if<lines::AskMethod>(&action)) {
        const auto request = std::make_shared<Request>();
        requests_.emplace(ask->key, request);
        client_.tasks().start(answer(std::move(*ask), request));
      } else if (const auto* const cancelled = std::get_if<lines::CancelCall>(&action)) {
        // A request of the same bytes may have been answered already.
        const auto found = requests_.find(cancelled->key);
        if (found != requests_.end()) found->second->end();
      } else if (const auto* const line = std::get_if<lines::SendLine>(&action)) {
        client_.send(line->line);
      }
    }
  }

  Task<void> answer(lines::AskMethod ask, RequestPointer request) {
    const Result<json::object> result = ask.method == "call"
                                            ? co_await call(ask, request)
                                            : co_await look(std::move(ask.params), request);
    requests_.erase(ask.key);
    client_.send(protocol_.answer(ask.key, result));
  }

  Task<Result<json::object>> call(const lines::AskMethod& ask, RequestPointer request) {
    const json::object& params = ask.params;
    CallContext context{.task = text_field(params, "task"),
                        .session_key = text_field(params, "session_key")};
    for (const json::value& variable : params.at("variables").as_array()) {
      context.variables.emplace_back(variable.as_string());
    }
    if (flag_field(params, "progress")) {
      context.on_progress = [this, key = ask.key](std::string_view text) {
        if (requests_.contains(key)) client_.send(progress(key, text));
      };
    }
    co_return co_await calls_.call(
        text_field(params, "owner"), text_field(params, "tool"), params.at("arguments").as_object(),
        std::move(context), request->cancel,
        std::chrono::milliseconds(params.at("wait_ms").as_int64()), request->given_up);
  }

  Task<Result<json::object>> look(json::object params, RequestPointer request) {
    co_return co_await calls_.look(text_field(params, "owner"),
                                   std::move(params.at("arguments").as_object()),
                                   request->given_up);
  }

  static std::string progress(const std::string& key, std::string_view text) {
    return "{\"id\":" + key + ",\"progress\":" + to_line(json::value(text)) + "}\n";
  }

  StdioClient client_;
  lines::LineProtocol protocol_;
  BackgroundCalls calls_;
  std::map<std::string, RequestPointer> requests_;  // by key
};

}  // namespace

Task<int> serve_keeper(AsioRuntime& runtime, Stdio stdio,
                       std::function<void(int exit_code)> leave_client) {
  KeeperFront keeper(co_await asio::this_coro::executor, runtime, stdio);
  co_return co_await keeper.serve(std::move(leave_client));
}

}  // namespace talaria::front::mcp
