// SequenceSplitter: splits terminal output into text and complete escape sequences, however the
// bytes arrive. It finds the end of a sequence, not its meaning.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace talaria::front::cli {

class SequenceSplitter {
 public:
  // `sequence` gets complete sequences, `text` everything else. A sequence without an end
  // (kMaxTerminalSequence) is text.
  using Sink = std::function<void(std::string_view piece)>;
  void feed(std::string_view bytes, const Sink& text, const Sink& sequence);

  // A sequence that has not ended.
  const std::string& pending() const { return pending_; }

 private:
  enum class Within { text, escape, nf, csi, string, string_escape };

  bool is_over(char byte);

  Within within_ = Within::text;
  std::string pending_;
};

}  // namespace talaria::front::cli
