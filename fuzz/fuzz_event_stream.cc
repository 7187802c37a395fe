// Any bytes, in any pieces: the events are the same as in one piece, and the answer around them is
// read or refused, never both.

#include <string>
#include <vector>

#include "fuzz/input.h"
#include "http/answer_parser.h"
#include "http/event_stream.h"

namespace talaria {
namespace {

std::vector<std::string> events_of(std::string_view bytes, std::size_t piece) {
  http::EventStream stream;
  std::vector<std::string> events;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    for (const http::ServerEvent& event : stream.feed(bytes.substr(at, piece))) {
      require(event.name.find('\n') == std::string::npos);
      require(event.id.find('\n') == std::string::npos);
      events.push_back(event.name + "\n" + event.id + "\n" + event.data);
    }
  }
  return events;
}

struct Answer {
  bool refused = false;
  bool enough = false;
  std::string body;
  friend bool operator==(const Answer&, const Answer&) = default;
};

Answer answer_of(std::string_view bytes, std::size_t piece) {
  http::AnswerParser parser(4096);
  Answer answer;
  for (std::size_t at = 0; at < bytes.size() && !answer.enough && !answer.refused; at += piece) {
    const auto more = parser.take(bytes.substr(at, piece));
    answer.refused = !more;
    answer.enough = more && !*more;
    if (more && parser.has_header()) answer.body += parser.take_body();
  }
  if (!answer.refused && !answer.enough) answer.refused = !parser.finish();
  if (answer.refused) answer.body.clear();  // how much of it came first is no matter
  return answer;
}

void check(Input input, std::size_t size) {
  const std::size_t piece = 1 + input.choice();
  require(events_of(input.rest(), piece) == events_of(input.rest(), size + 1));
  require(answer_of(input.rest(), piece) == answer_of(input.rest(), size + 1));
}

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talaria::check(talaria::Input(data, size), size);
  return 0;
}
