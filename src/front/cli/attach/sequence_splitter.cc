#include "front/cli/attach/sequence_splitter.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace talaria::front::cli {
namespace {

constexpr char kBell = '\a';
constexpr char kCancel = '\x18';
constexpr char kSubstitute = '\x1a';

}  // namespace

// Whether the sequence ends with this byte; moves on if it does not (ECMA-48).
bool SequenceSplitter::is_over(char byte) {
  switch (within_) {
    case Within::escape:
      if (byte == '[') {
        within_ = Within::csi;
      } else if (std::string_view("]PX^_").contains(byte)) {
        within_ = Within::string;
      } else if (byte >= ' ' && byte <= '/') {
        within_ = Within::nf;
      } else {
        return true;
      }
      return false;
    case Within::nf:
      return byte >= '0';
    case Within::csi:
      return byte >= '@';
    case Within::string:
      if (byte == kEscape) within_ = Within::string_escape;
      return byte == kBell;
    case Within::string_escape:
      return true;
    case Within::text:
      break;
  }
  return true;
}

void SequenceSplitter::feed(std::string_view bytes, const Sink& text, const Sink& sequence) {
  while (!bytes.empty()) {
    if (within_ == Within::text) {
      const std::size_t plain = std::min(bytes.find(kEscape), bytes.size());
      if (plain > 0) text(bytes.substr(0, plain));
      bytes.remove_prefix(plain);
      if (bytes.empty()) return;
      within_ = Within::escape;
      pending_ = kEscape;
      bytes.remove_prefix(1);
      continue;
    }
    const char byte = bytes.front();
    bytes.remove_prefix(1);
    pending_ += byte;
    const bool given_up =
        byte == kCancel || byte == kSubstitute || pending_.size() > kMaxTerminalSequence;
    if (!given_up && !is_over(byte)) continue;
    within_ = Within::text;
    (given_up ? text : sequence)(std::exchange(pending_, {}));
  }
}

}  // namespace talaria::front::cli
