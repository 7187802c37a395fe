// Any bytes, in any pieces: the frames are the same as in one piece, and written out again they are
// the bytes they came from.

#include <string>

#include "fuzz/input.h"
#include "link/frame.h"

namespace talaria {
namespace {

struct Outcome {
  std::string frames;
  bool broken = false;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

void drain(link::FrameReader& reader, Outcome& outcome) {
  while (!outcome.broken) {
    const auto frame = reader.next();
    outcome.broken = !frame;
    if (!frame || !*frame) return;
    link::append_frame(outcome.frames, **frame);
  }
}

Outcome read_all(std::string_view bytes, std::size_t piece) {
  link::FrameReader reader;
  Outcome outcome;
  for (std::size_t at = 0; at < bytes.size() && !outcome.broken; at += piece) {
    reader.feed(bytes.substr(at, piece));
    require(reader.buffered() <= link::kFrameHeaderBytes + link::kMaxFramePayload + piece);
    drain(reader, outcome);
  }
  return outcome;
}

void check(Input input, std::size_t size) {
  const std::size_t piece = 1 + input.choice();
  const Outcome whole = read_all(input.rest(), size + 1);
  require(input.rest().starts_with(whole.frames));
  require(read_all(input.rest(), piece) == whole);
}

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talaria::check(talaria::Input(data, size), size);
  return 0;
}
