// SequenceSplitter: cuts what a program prints on a terminal into text and whole escape sequences,
// however the bytes arrive. It knows where a sequence ends, not what it means.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace talaria::front::cli {

class SequenceSplitter {
 public:
  // `text` gets what is no sequence; `sequence` one that is whole, from its ESC on. One that does
  // not end (kMaxTerminalSequence) is text.
  using Sink = std::function<void(std::string_view piece)>;
  void feed(std::string_view bytes, const Sink& text, const Sink& sequence);

  // What has begun and not ended.
  const std::string& pending() const { return pending_; }

 private:
  enum class Within { text, escape, nf, csi, string, string_escape };

  bool is_over(char byte);

  Within within_ = Within::text;
  std::string pending_;
};

}  // namespace talaria::front::cli
