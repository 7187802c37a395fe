#include "front/mcp/mcp_stdio.h"

#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "front/line_splitter.h"
#include "front/line_writer.h"
#include "front/mcp/background_calls.h"
#include "front/mcp/mcp_tools.h"
#include "front/mcp/mcp_session.h"
#include "front/mcp/request_state.h"
#include "front/shared_stream.h"
#include "front/stop_signals.h"
#include "front/task_group.h"

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
      : executor_(executor),
        input_(executor, stdio.in),
        tasks_(executor),
        writer_(
            executor, stdio.out, [this] { written(); }, [this] { give_up(1); }),
        offer_(product_offer()),
        background_(executor, runtime),
        session_(executor, runtime, offer_, state_, principal_for(options),
                 [this](const McpSend& message) { writer_.send(message.text + "\n"); }) {
    session_.on_change([this] { tasks_.notify(); });
    session_.hold_while([this] { return is_unread(); });
    session_.use_background_calls(background_);
  }

  Task<int> serve() {
    StopSignals signals(executor_, [this](int signal) { give_up(128 + signal); });
    tasks_.start(writer_.write());
    tasks_.start(writer_.watch_reader());
    co_await read_messages();
    session_.close();
    background_.close();
    co_await session_.ended();
    co_await background_.ended();
    writer_.finish();
    tasks_.start(writer_.limit());
    while (writer_.unsent() > 0) co_await tasks_.change();
    writer_.stop();
    co_await tasks_.ended();
    co_return exit_code_;
  }

 private:
  Task<void> read_messages() {
    const LineSplitter::Sink sink{.line = [this](std::string_view line) { take(line); },
                                  .too_long = [this] { refuse_long_line(); }};
    std::vector<char> chunk(64 * 1024);
    while (!stopping_) {
      const auto [error, size] = co_await input_->async_read_some(asio::buffer(chunk), as_values);
      if (error) break;
      lines_.feed({chunk.data(), size}, sink);
      while (!stopping_ && is_behind()) co_await tasks_.change();
    }
  }

  void take(std::string_view line) {
    if (!trim(line).empty()) session_.take(line);
  }

  void refuse_long_line() {
    const RpcError error{kRpcInvalidRequest, "Invalid Request: longer than the limit of " +
                                                 std::to_string(lines_.max_line()) + " bytes"};
    writer_.send(rpc_error("", error) + "\n");
  }

  // The client is too fast, or does not read: then we stop reading, and its pipe fills up.
  bool is_behind() const { return session_.waiting_bytes() >= kMaxWaitingBytes || is_unread(); }
  bool is_unread() const { return writer_.unsent() >= kMaxUnsentBytes; }

  void written() {
    tasks_.notify();
    session_.resume();
  }

  void give_up(int exit_code) {
    if (!std::exchange(stopping_, true)) exit_code_ = exit_code;
    input_->cancel();
    tasks_.notify();
  }

  asio::any_io_executor executor_;
  SharedStream input_;
  TaskGroup tasks_;
  LineWriter writer_;
  LineSplitter lines_{kMaxLineBytes};
  RequestState state_;
  McpOffer offer_;
  BackgroundCalls background_;
  McpSession session_;
  bool stopping_ = false;
  int exit_code_ = 0;
};

}  // namespace

Task<int> serve_mcp(AsioRuntime& runtime, McpOptions options, Stdio stdio) {
  McpStdio server(co_await asio::this_coro::executor, runtime, options, stdio);
  co_return co_await server.serve();
}

}  // namespace talaria::front::mcp
