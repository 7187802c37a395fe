// ScriptLineReader: what a script's connections send, put together to lines. No I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::environment {

class ScriptLineReader {
 public:
  // Of the unfinished lines of all connections together: what is longer is not a call.
  static constexpr std::size_t kMostHeld = 256u << 20;

  explicit ScriptLineReader(std::size_t most_held = kMostHeld) : most_held_(most_held) {}

  struct Heard {
    std::uint32_t connection = 0;
    // Without its end. Of one that is too long its first bytes, which are not a call; the rest is
    // skipped. Absent: the connection sends nothing more.
    std::optional<std::string> line;
    friend bool operator==(const Heard&, const Heard&) = default;
  };

  // The next bytes of the stream of records (link/script_messages.h).
  std::vector<Heard> take(std::string_view bytes);
  // What one connection sent; none: it sends nothing more.
  std::vector<Heard> take_from(std::uint32_t connection, std::string_view bytes);

 private:
  struct Open {
    std::string line;      // what it has so far
    bool skipped = false;  // up to its end
  };

  void take_record(std::uint32_t connection, std::string_view bytes, std::vector<Heard>& heard);
  void take_bytes(std::uint32_t connection, std::string_view bytes, std::vector<Heard>& heard);

  std::size_t most_held_;
  std::string unread_;  // the beginning of a record
  std::map<std::uint32_t, Open> open_;
  std::size_t held_ = 0;  // bytes of their lines
};

}  // namespace talaria::environment
