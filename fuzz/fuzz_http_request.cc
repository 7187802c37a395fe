// Any bytes, in any pieces: the requests are the same as in one piece, none is longer than it may
// be, and what is held of one that has not come whole stays within the limits.

#include <string>
#include <vector>

#include "front/gateway/http/request_reader.h"
#include "fuzz/input.h"

namespace talaria {
namespace {

constexpr front::gateway::RequestLimits kLimits{.header_bytes = 2048, .body_bytes = 4096};

std::string text_of(const front::gateway::ServedRequest& request) {
  std::string text = request.method + " " + request.path + "\n";
  for (const std::string& segment : request.segments) text += segment + "\n";
  for (const auto& [name, value] : request.query) text += name + "=" + value + "\n";
  for (const auto& [name, value] : request.headers) {
    require(name.find_first_of("\r\n:") == std::string::npos);
    require(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
    text += name + ": " + value + "\n";
  }
  require(request.body.size() <= kLimits.body_bytes);
  return text + (request.keep_alive ? "goes on\n" : "ends\n") + request.body;
}

std::vector<std::string> read_all(std::string_view bytes, std::size_t piece) {
  using State = front::gateway::RequestReader::State;
  front::gateway::RequestReader reader(kLimits);
  std::vector<std::string> requests;
  for (std::size_t at = 0; at < bytes.size() && reader.state() != State::broken; at += piece) {
    reader.feed(bytes.substr(at, piece));
    (void)reader.wants_continue();
    while (reader.state() == State::complete) requests.push_back(text_of(reader.take()));
    if (reader.state() == State::partial) {
      require(reader.held_bytes() <= kLimits.header_bytes + kLimits.body_bytes);
    }
  }
  if (reader.state() == State::broken) require(reader.status() >= 400 && !reader.flaw().empty());
  return requests;
}

void check(Input input, std::size_t size) {
  const std::size_t piece = 1 + input.choice();
  require(read_all(input.rest(), piece) == read_all(input.rest(), size + 1));
}

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talaria::check(talaria::Input(data, size), size);
  return 0;
}
