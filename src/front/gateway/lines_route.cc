// JSON lines over a WebSocket: one text message is one line without its end.
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/this_coro.hpp>
#include <boost/json/object.hpp>

#include "base/event.h"
#include "base/limits.h"
#include "front/gateway/http/websocket.h"
#include "front/gateway/routes.h"
#include "front/gateway/user_places.h"
#include "front/lines/line_calls.h"
#include "front/task_group.h"

namespace talaria::front::gateway {
namespace {

constexpr std::string_view kSubprotocol = "talaria.lines.1";

// One client, from the beginning of its WebSocket to its end.
class LinesSocket {
 public:
  LinesSocket(const asio::any_io_executor& executor, Gateway& gateway,
              std::shared_ptr<GatewayCall> call, ServedSocket& socket)
      : gateway_(gateway),
        socket_(socket),
        tasks_(executor),
        places_(gateway, call),
        calls_(gateway.runtime(), places_,
               {.send = [this](const std::string& line) { send(line); },
                .reads = [this] { return unsent_.size() + sending_ < kMaxUnsentBytes; },
                .start = [this](Task<void> task) { tasks_.start(std::move(task)); }}) {}

  Task<void> serve() {
    tasks_.start(write());
    tasks_.start(watch_stop());
    for (;;) {
      auto message = co_await socket_.read();
      if (!message) break;
      *message += '\n';
      calls_.feed(*message);
      while (!gone_ && calls_.waiting_bytes() >= kMaxWaitingBytes) co_await tasks_.change();
    }
    // A client that is gone takes its calls along.
    gone_ = true;
    calls_.cancel_all();
    calls_.end_of_client();
    calls_.end_events();
    more_.notify_all();
    over_.set();
    co_await tasks_.ended();
  }

 private:
  void send(std::string_view line) {
    if (gone_) return;
    unsent_ += line;
    more_.notify_all();
  }

  // Each line is a message.
  Task<void> write() {
    for (;;) {
      while (unsent_.empty() && !gone_) co_await more_.wait();
      if (gone_) break;
      const std::string lines = std::exchange(unsent_, {});
      sending_ = lines.size();
      for (std::size_t at = 0; at < lines.size() && !gone_;) {
        const std::size_t end = lines.find('\n', at);
        std::string message = lines.substr(at, end - at);
        at = end + 1;
        if (!co_await socket_.write(std::move(message))) gone_ = true;
      }
      sending_ = 0;
      if (!gone_) calls_.resume();
      tasks_.notify();
    }
    unsent_.clear();
    socket_.close();
  }

  // The gateway stops: clients are to come back to the next one.
  Task<void> watch_stop() {
    gateway_.waiting().insert(&over_);
    while (!over_.is_set() && !gateway_.stopping()) co_await over_.wait();
    gateway_.waiting().erase(&over_);
    if (gateway_.stopping()) socket_.close();
  }

  Gateway& gateway_;
  ServedSocket& socket_;
  TaskGroup tasks_;
  AsyncEvent more_;
  AsyncEvent over_;
  std::string unsent_;
  std::size_t sending_ = 0;
  bool gone_ = false;
  UserPlaces places_;
  lines::LineCalls calls_;
};

bool offers_subprotocol(const ServedRequest& request) {
  std::string list = request.header("sec-websocket-protocol");
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    std::string_view one = rest.substr(0, comma);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (one == kSubprotocol) return true;
    rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
  }
  return false;
}

}  // namespace

Task<ServedResponse> serve_json_lines(Gateway& gateway, GatewayCall& call) {
  if (!asks_for_websocket(call.request)) {
    ServedResponse response =
        json_response(200, boost::json::object{{"subprotocol", kSubprotocol}});
    response.headers.emplace_back("Upgrade", "websocket");
    co_return response;
  }
  if (!offers_subprotocol(call.request)) {
    co_return error_response(400, "Sec-WebSocket-Protocol must offer talaria.lines.1");
  }
  if (gateway.stopping()) co_return error_response(503, "the gateway is stopping");
  const auto own = std::make_shared<GatewayCall>(call);
  co_return ServedResponse{.status = 101,
                           .converse = [&gateway, own](ServedSocket& socket) -> Task<void> {
                             LinesSocket client(co_await asio::this_coro::executor, gateway, own,
                                                socket);
                             co_await client.serve();
                           },
                           .subprotocol = std::string(kSubprotocol)};
}

}  // namespace talaria::front::gateway
