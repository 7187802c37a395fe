// SafeSequences: text for a terminal, with nothing in them that the library which draws the screen
// cannot take. It writes behind its array at the 17th parameter of a sequence, and when it is to
// repeat a character (CSI n b) and there was none, it never ends. So every escape sequence comes
// out whole, well formed and with numbers within reason, or not at all; a repetition comes out as
// what it stands for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace talaria::tool {

class SafeSequences {
 public:
  // Of valid UTF-8, the text with which to go on; what is not whole yet comes with later ones.
  // `most`: how often a character may be repeated.
  std::string pass(std::string_view bytes, std::uint32_t most);

 private:
  enum class Place { text, escape, sequence };

  void take(char byte, std::uint32_t most, std::string& out);
  void take_escape(char byte, std::string& out);
  void take_sequence(char byte, std::uint32_t most, std::string& out);
  void repeat(std::uint32_t most, std::string& out) const;
  void hold(char byte);

  Place place_ = Place::text;
  std::string held_;       // what came behind ESC, or behind ESC [
  bool too_long_ = false;  // more than is held
  std::string last_;       // the last character that was no control
};

}  // namespace talaria::tool
