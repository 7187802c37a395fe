// Any bytes at the controller's end of a link, over several connections, with requests of every
// kind open. Nothing may crash, data never repeats, and each request is answered at most once.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "fuzz/input.h"
#include "link/client.h"

namespace talaria {
namespace {

class Owner {
 public:
  explicit Owner(Input& input)
      : input_(input),
        client_({.new_link_id = [] { return link::LinkId{}; }, .software = "fuzz"}) {}

  void run() {
    ask();
    for (int connection = 0; connection < 4 && !input_.empty(); ++connection) {
      client_.connect();
      if (input_.choice() % 4 != 0) greet();
      one_connection();
      client_.disconnected(Error(ErrorKind::unavailable, "cut"));
      drain();
    }
    client_.fail_all(Error(ErrorKind::interrupted, "over"));
    drain();
    require(client_.unfinished() == 0 && open_.empty());
  }

 private:
  void ask() {
    link::RequestOptions resumes{.data_from = 5, .data_limit = 50};
    resumes.resume = [](std::uint64_t received) {
      return link::Call{link::Method::wait, link::encode(link::Wait{.output_from = received})};
    };
    remember(client_.request(
        link::Start{.start_id = "s", .command = std::string(link::kMaxFrameData + 1, '#')},
        resumes));
    remember(client_.request(link::Read{.process = "p"}, {.data_limit = 1000}));
    remember(client_.request(link::Write{.process = "p", .stream = true}));
    remember(client_.request(link::Status{}));
  }

  void remember(const Result<link::ExchangeId>& id) {
    require(id.has_value());
    open_.insert(*id);
  }

  void greet() {
    std::string bytes;
    link::append_frame(bytes, {.type = link::FrameType::hello,
                               .payload = link::encode_hello(link::RunnerHello{.instance = "i1"})});
    client_.receive(bytes);
    drain();
  }

  void one_connection() {
    while (!input_.empty()) {
      const std::uint8_t choice = input_.choice();
      if (choice == 255) return;
      client_.wrote(client_.output().size());
      drain();
      client_.receive(input_.piece(choice < 128 ? choice + 1U : 4096));
      drain();
      if (choice % 16 == 1 && !open_.empty()) {
        client_.cancel(*open_.begin());
        open_.erase(open_.begin());
      }
    }
  }

  void drain() {
    while (std::optional<link::LinkEvent> event = client_.next_event()) {
      std::visit([this](auto& e) { on(e); }, *event);
    }
  }

  void on(link::Data& data) {
    if (data.id % 2 == 0) return;
    require(open_.contains(data.id) && data.offset >= cursors_[data.id] && !data.bytes.empty());
    cursors_[data.id] = data.offset + data.bytes.size();
    client_.grant(data.id, cursors_[data.id], cursors_[data.id] + 100);
  }

  void on(link::Response& response) { require(open_.erase(response.id) == 1); }

  void on(link::Writable& writable) {
    const std::uint64_t size =
        std::min<std::uint64_t>(client_.sendable(writable.id, writable.next), 70000);
    if (size > 0) client_.send_data(writable.id, writable.next, std::string(size, 'u'));
  }

  template <class Other>
  void on(Other&) {}

  Input& input_;
  link::LinkClient client_;
  std::set<link::ExchangeId> open_;
  std::map<link::ExchangeId, std::uint64_t> cursors_;
};

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talaria::Input input(data, size);
  talaria::Owner(input).run();
  return 0;
}
