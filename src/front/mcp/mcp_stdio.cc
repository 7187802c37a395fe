#include "front/mcp/mcp_stdio.h"

#include <functional>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "front/line_splitter.h"
#include "front/mcp/background_calls.h"
#include "front/mcp/mcp_session.h"
#include "front/mcp/process_news.h"
#include "front/mcp/request_state.h"
#include "front/mcp/tool_schemas.h"
#include "front/stdio_client.h"

namespace talaria::front::mcp {
namespace {

McpPrincipal principal_for(const McpOptions& options) {
  McpPrincipal principal = new_principal();
  if (!options.task.empty()) principal.task = options.task;
  return principal;
}

class McpStdio {
 public:
  McpStdio(const asio::any_io_executor& executor, AsioRuntime& runtime, const McpOptions& options,
           Stdio stdio)
      : client_(executor, stdio,
                {.take = [this](std::string_view bytes) { lines_.feed(bytes, sink_); },
                 .waiting_bytes = [this] { return session_.waiting_bytes(); },
                 .written = [this] { session_.resume(); },
                 .stop = [this] { background_.stop(); }}),
        offer_(product_offer()),
        background_(executor, runtime),
        news_(executor, runtime, options.task.empty() ? "" : "mcp:" + options.task),
        session_(executor, runtime, offer_, state_, principal_for(options),
                 [this](const McpSend& message) { client_.send(message.text + "\n"); }) {
    session_.on_change([this] { client_.tasks().notify(); });
    session_.hold_while([this] { return client_.is_unread(); });
    session_.use_background_calls(background_);
    session_.use_news(news_);
    news_.on_event([this](const json::object& event) { session_.report(event); });
  }

  Task<int> serve(std::function<void(int exit_code)> leave_client) {
    co_await client_.read();
    session_.close();
    news_.close();
    co_await session_.ended();
    co_await news_.ended();
    if (!leave_client) background_.close();
    co_return co_await background_.finish(client_, std::move(leave_client));
  }

 private:
  void take(std::string_view line) {
    if (!trim(line).empty()) session_.take(line);
  }

  void refuse_long_line() {
    const RpcError error{kRpcInvalidRequest, "Invalid Request: longer than the limit of " +
                                                 std::to_string(lines_.max_line()) + " bytes"};
    client_.send(rpc_error("", error) + "\n");
  }

  const LineSplitter::Sink sink_{.line = [this](std::string_view line) { take(line); },
                                 .too_long = [this] { refuse_long_line(); }};
  LineSplitter lines_{kMaxLineBytes};
  StdioClient client_;
  RequestState state_;
  McpOffer offer_;
  BackgroundCalls background_;
  ProcessNews news_;
  McpSession session_;
};

}  // namespace

Task<int> serve_mcp(AsioRuntime& runtime, McpOptions options, Stdio stdio,
                    std::function<void(int exit_code)> leave_client) {
  McpStdio server(co_await asio::this_coro::executor, runtime, options, stdio);
  co_return co_await server.serve(std::move(leave_client));
}

}  // namespace talaria::front::mcp
