// A text on its way through the rows: what it is by now, and which byte of the text it was made of
// each of its bytes stands for. Rewrite: one row's way through it, from the beginning to the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::policy {

struct RewrittenText {
  std::string text;
  bool traced = false;
  std::vector<std::uint32_t> origins = {};  // by byte of `text`; empty unless traced
};

RewrittenText trace(std::string text);

class Rewrite {
 public:
  explicit Rewrite(RewrittenText& text) : text_(text) {}

  // Behind what was replaced before. What stands there instead stands for the first byte.
  void replace(std::size_t begin, std::size_t end, std::string_view by);

  std::size_t replaced_until() const { return copied_; }

  // To be called at the end: `text` becomes what it is now.
  void finish();

 private:
  void copy_until(std::size_t end);

  RewrittenText& text_;
  std::string result_;
  std::vector<std::uint32_t> origins_;
  std::size_t copied_ = 0;
  bool changed_ = false;
};

}  // namespace talaria::policy
