// SafeSequences: removes from terminal output what the library that draws the screen cannot take.
// The library writes past its array at the 17th parameter of a sequence, and repeating a character
// (CSI n b) without one never ends. So an escape sequence is passed on complete, well formed and
// with limited numbers, or not at all. A repetition is replaced by the characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace talaria::tool {

class SafeSequences {
 public:
  // Takes valid UTF-8 and returns the text to draw. An incomplete sequence waits for more.
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
  std::string last_;       // the last character that was not a control character
};

}  // namespace talaria::tool
