// Any bytes at the runner's end of a connection, whose owner answers every request in a way the
// input chooses. Nothing may crash, what is held stays bounded, and what is written is frames.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fuzz/input.h"
#include "link/connection.h"
#include "link/messages.h"

namespace talaria {
namespace {

class Owner {
 public:
  explicit Owner(Input& input)
      : input_(input), connection_(link::Connection::to_client(limits())) {}

  void run() {
    if (input_.choice() % 4 != 0) greet();
    while (!input_.empty()) {
      const std::uint8_t choice = input_.choice();
      connection_.receive(input_.piece(choice < 128 ? choice + 1U : 4096));
      drain();
      if (choice % 3 == 0) write();
    }
    write();
  }

 private:
  static link::LinkLimits limits() {
    return {link::kLeastMessage, link::kLeastReassembly, link::kLeastExchanges};
  }

  void greet() {
    std::string bytes;
    link::append_frame(bytes, {.type = link::FrameType::hello,
                               .payload = link::encode_hello(link::ClientHello{})});
    connection_.receive(bytes);
    drain();
  }

  void drain() {
    while (std::optional<link::Event> event = connection_.next_event()) {
      std::visit([this](auto& e) { on(e); }, *event);
    }
    require(connection_.reassembly_bytes() <= link::kLeastReassembly);
    require(connection_.open_exchanges() <= 2 * link::kLeastExchanges);
    require(connection_.queued_bytes() <= link::kMaxQueuedData + link::kMaxQueuedMessages);
  }

  void write() {
    const std::string bytes(connection_.output());
    connection_.wrote(bytes.size());
    reader_.feed(bytes);
    for (;;) {
      const auto frame = reader_.next();
      require(frame.has_value());
      if (!*frame) break;
    }
    require(reader_.buffered() == 0);
    drain();
  }

  void on(link::ClientHello& hello) {
    const link::RunnerHello self{.instance = "i1"};
    if (hello.batch_ms == 77) {
      connection_.refuse(self, link::CloseReason::busy, "busy");
    } else {
      connection_.accept(self);
    }
  }

  void on(link::Request& request) {
    (void)link::decode<link::Start>(request.body);
    switch (input_.choice() % 6) {
      case 0:
        connection_.respond(request.id, request.body);
        break;
      case 1:
        connection_.note(request.id, request.body);
        connection_.respond(request.id, fail(ErrorKind::not_found, "no"));
        break;
      case 2:
        send(request.id, 0);
        break;
      case 3:
        connection_.grant(request.id, 0, 100);
        break;
      case 4:
        (void)connection_.request(link::Method{64}, request.body, 50);
        break;
      default:
        connection_.note(request.id, request.body);
    }
  }

  void send(link::ExchangeId id, std::uint64_t from) {
    const std::uint64_t size = std::min<std::uint64_t>(connection_.sendable(id, from), 70000);
    if (size > 0) connection_.send_data(id, from, std::string(size, 'd'));
  }

  void on(link::Writable& writable) { send(writable.id, writable.next); }

  void on(link::Data& data) {
    const std::uint64_t end = data.offset + data.bytes.size();
    if (input_.choice() % 2 == 0) connection_.grant(data.id, end, end + 100);
  }

  void on(link::DataEnd& end) { connection_.respond(end.id, std::string()); }
  void on(link::Closed&) { require(connection_.open_exchanges() == 0); }
  template <class Other>
  void on(Other&) {}

  Input& input_;
  link::Connection connection_;
  link::FrameReader reader_;
};

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talaria::Input input(data, size);
  talaria::Owner(input).run();
  return 0;
}
