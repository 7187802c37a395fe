#include "front/lines/line_server.h"

#include <string>
#include <string_view>
#include <utility>

#include "front/lines/home_places.h"
#include "front/lines/line_calls.h"
#include "front/random_name.h"
#include "front/stdio_client.h"

namespace talaria::front::lines {
namespace {

class LineServer {
 public:
  LineServer(const asio::any_io_executor& executor, AsioRuntime& runtime, Stdio stdio)
      : client_(executor, stdio,
                {.take = [this](std::string_view bytes) { calls_.feed(bytes); },
                 .waiting_bytes = [this] { return calls_.waiting_bytes(); },
                 .written = [this] { calls_.resume(); },
                 .stop = [this] { calls_.cancel_all(); }}),
        places_(runtime, "lines-" + random_name()),
        calls_(runtime, places_,
               {.send = [this](const std::string& line) { client_.send(line); },
                .reads = [this] { return !client_.is_unread(); },
                .start = [this](Task<void> task) { client_.tasks().start(std::move(task)); }}) {}

  Task<int> serve() {
    co_await client_.read();
    if (!client_.stopping()) calls_.end_input();
    calls_.end_of_client();
    while (!calls_.idle()) co_await client_.tasks().change();
    calls_.end_events();
    co_return co_await client_.finish(false);
  }

 private:
  StdioClient client_;
  HomePlaces places_;
  LineCalls calls_;
};

}  // namespace

Task<int> serve_lines(AsioRuntime& runtime, Stdio stdio) {
  LineServer server(co_await asio::this_coro::executor, runtime, stdio);
  co_return co_await server.serve();
}

}  // namespace talaria::front::lines
