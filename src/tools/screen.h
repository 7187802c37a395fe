// Screen: what a person would see of a program that draws on its terminal, from the bytes it wrote.
// It does not answer queries of the program to its terminal.
#pragma once

#include <talaria/process.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::tool {

class Screen {
 public:
  // An impossible size (0, or thousands) becomes the nearest possible one.
  explicit Screen(ScreenSize size);
  Screen(Screen&&) noexcept;
  Screen& operator=(Screen&&) noexcept;
  ~Screen();

  // Any bytes, in any pieces.
  void feed(std::string_view bytes);
  // As when a person changes the size of the window. What does not fit is lost, and so are the
  // modes the program has set, but for the other screen: programs draw anew when the size changes.
  void resize(ScreenSize size);

  ScreenSize size() const;
  // One text per row, all of them, without the blanks at its end. Valid UTF-8.
  std::vector<std::string> lines() const;

  // From 0. A wide character takes two columns.
  std::uint32_t cursor_row() const;
  std::uint32_t cursor_col() const;
  bool cursor_visible() const;

  // Of the window; empty if it was never set.
  const std::string& title() const;
  // Whether it shows the other screen, as editors and pagers do to leave the first one as it was.
  bool alternate() const;

 private:
  struct Terminal;
  std::unique_ptr<Terminal> terminal_;
};

}  // namespace talaria::tool
