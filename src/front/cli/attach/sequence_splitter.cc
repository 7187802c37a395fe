#include "front/cli/attach/sequence_splitter.h"

#include <algorithm>
#include <utility>

#include "base/escape_sequence.h"
#include "base/limits.h"

namespace talaria::front::cli {

using escape::kEscape;

// Whether the sequence ends with this byte; else changes the state (ECMA-48).
bool SequenceSplitter::is_over(char byte) {
  switch (within_) {
    case Within::escape:
      if (byte == '[') {
        within_ = Within::csi;
      } else if (escape::kStringOpeners.contains(byte)) {
        within_ = Within::string;
      } else if (escape::is_intermediate(byte)) {
        within_ = Within::nf;
      } else {
        return true;
      }
      return false;
    case Within::nf:
      return escape::is_short_end(byte);
    case Within::csi:
      return escape::is_control_end(byte);
    case Within::string:
      if (byte == kEscape) within_ = Within::string_escape;
      return byte == escape::kBell;
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
    const bool given_up = byte == escape::kCancel || byte == escape::kSubstitute ||
                          pending_.size() > kMaxTerminalSequence;
    if (!given_up && !is_over(byte)) continue;
    within_ = Within::text;
    (given_up ? text : sequence)(std::exchange(pending_, {}));
  }
}

}  // namespace talaria::front::cli
