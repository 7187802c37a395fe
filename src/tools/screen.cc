#include "tools/screen.h"

#include <vterm.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "tools/safe_sequences.h"

namespace talaria::tool {
namespace {

constexpr std::uint32_t kReplacement = 0xfffd;
constexpr std::uint32_t kRightHalf = ~0u;  // in the cell behind a wide character

// No character that could not be written or would act on somebody's own terminal.
std::uint32_t checked(std::uint32_t character) {
  const bool control = character < 0x20 || (character >= 0x7f && character <= 0x9f);
  const bool surrogate = character >= 0xd800 && character <= 0xdfff;
  return control || surrogate || character > 0x10ffff ? kReplacement : character;
}

void append_utf8(std::string& text, std::uint32_t character) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto add_rest = [&](int shift) { add(0x80 | ((character >> shift) & 0x3f)); };
  if (character < 0x80) {
    add(character);
  } else if (character < 0x800) {
    add(0xc0 | (character >> 6));
    add_rest(0);
  } else if (character < 0x10000) {
    add(0xe0 | (character >> 12));
    add_rest(6);
    add_rest(0);
  } else {
    add(0xf0 | (character >> 18));
    add_rest(12);
    add_rest(6);
    add_rest(0);
  }
}

// To the library the controls above U+007F are characters that are less than nothing wide.
void blank_high_controls(std::string& text) {
  for (std::size_t at = text.find('\xc2'); at != std::string::npos; at = text.find('\xc2', at)) {
    const bool control = at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xa0;
    if (control) text.replace(at, 2, 2, '\0');  // which is skipped
    at += 2;
  }
}

void append_cell(std::string& line, const VTermScreenCell& cell) {
  if (cell.chars[0] == kRightHalf) return;
  if (cell.chars[0] == 0) line += ' ';
  for (const std::uint32_t character : cell.chars) {
    if (character == 0) return;
    append_utf8(line, checked(character));
  }
}

ScreenSize possible(ScreenSize size) {
  return {std::clamp(size.rows, kMinScreenRows, kMaxScreenRows),
          std::clamp(size.cols, kMinScreenCols, kMaxScreenCols)};
}

struct FreeTerminal {
  void operator()(VTerm* terminal) const { vterm_free(terminal); }
};

}  // namespace

// The library's callbacks have the address of this, so it does not move.
struct Screen::Terminal {
  explicit Terminal(ScreenSize wanted)
      : size(wanted),
        vterm(vterm_new(static_cast<int>(wanted.rows), static_cast<int>(wanted.cols))),
        screen(vterm_obtain_screen(vterm.get())) {
    vterm_set_utf8(vterm.get(), 1);
    vterm_output_set_callback(vterm.get(), [](const char*, std::size_t, void*) {}, nullptr);
    vterm_screen_set_callbacks(screen, &kCallbacks, this);
    vterm_screen_enable_altscreen(screen, 1);
    vterm_screen_set_damage_merge(screen, VTERM_DAMAGE_SCREEN);  // nobody looks at it
    vterm_screen_reset(screen, 1);
  }

  static int moved(VTermPos position, VTermPos, int, void* user) {
    static_cast<Terminal*>(user)->cursor = position;
    return 1;
  }
  static int changed(VTermProp what, VTermValue* value, void* user) {
    auto& self = *static_cast<Terminal*>(user);
    if (what == VTERM_PROP_CURSORVISIBLE) self.cursor_visible = value->boolean != 0;
    if (what == VTERM_PROP_ALTSCREEN) self.alternate = value->boolean != 0;
    if (what == VTERM_PROP_TITLE) self.title = sanitize_utf8(value->string);
    return 1;
  }
  static constexpr VTermScreenCallbacks kCallbacks{.movecursor = moved, .settermprop = changed};

  // As much of a row as fits into so many columns, without the blanks at its end.
  std::string line(int row, int cols) const {
    std::string text;
    VTermPos position{row, 0};
    while (position.col < cols) {
      VTermScreenCell cell{};
      vterm_screen_get_cell(screen, position, &cell);
      position.col += std::max<int>(cell.width, 1);
      if (position.col <= cols) append_cell(text, cell);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  std::vector<std::string> lines(int cols) const {
    std::vector<std::string> all;
    for (int row = 0; row < static_cast<int>(size.rows); ++row) all.push_back(line(row, cols));
    return all;
  }

  void write(std::string_view bytes) { vterm_input_write(vterm.get(), bytes.data(), bytes.size()); }

  // Rows of another screen: those that end with row `last`, if they do not all fit.
  void paint(const std::vector<std::string>& rows, std::size_t last) {
    const std::size_t first = last < size.rows ? 0 : last + 1 - size.rows;
    const std::size_t end = std::min(rows.size(), first + size.rows);
    for (std::size_t row = first; row < end; ++row) {
      move_to(row - first, 0);
      write(rows[row]);
    }
  }
  void move_to(std::size_t row, std::size_t col) {
    write("\033[" + std::to_string(row + 1) + ";" + std::to_string(col + 1) + "H");
  }

  ScreenSize size;
  Utf8Sanitizer characters;
  SafeSequences sequences;
  std::unique_ptr<VTerm, FreeTerminal> vterm;
  VTermScreen* screen;
  VTermPos cursor{0, 0};
  bool cursor_visible = true;
  bool alternate = false;
  std::string title;
};

Screen::Screen(ScreenSize size) : terminal_(std::make_unique<Terminal>(possible(size))) {}
Screen::Screen(Screen&&) noexcept = default;
Screen& Screen::operator=(Screen&&) noexcept = default;
Screen::~Screen() = default;

void Screen::feed(std::string_view bytes) {
  // In pieces: the library has room on its stack for each, as long as it may be. It also has less
  // room than it needs for characters that are not whole.
  constexpr std::size_t kPiece = 4096;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kPiece, bytes.size()))) {
    std::string text;
    terminal_->characters.feed(bytes.substr(0, kPiece), text);
    blank_high_controls(text);
    text = terminal_->sequences.pass(text, terminal_->size.cols);
    terminal_->write(text);
  }
}

// A new terminal with what was on the old one: the library's own change of size leaves it with
// places that are no longer there. Programs draw anew when the size changes.
void Screen::resize(ScreenSize size) {
  size = possible(size);
  if (size == terminal_->size) return;
  const int cols = static_cast<int>(std::min(size.cols, terminal_->size.cols));
  const std::vector<std::string> shown = terminal_->lines(cols);
  const std::size_t row = cursor_row();
  const std::size_t col = std::min(cursor_col(), size.cols - 1);

  auto resized = std::make_unique<Terminal>(size);
  if (terminal_->alternate) {
    terminal_->write("\033[?1047l");
    const std::vector<std::string> behind = terminal_->lines(cols);
    const auto end = std::ranges::find_if(behind.rbegin(), behind.rend(),
                                          [](const std::string& line) { return !line.empty(); });
    const auto used = static_cast<std::size_t>(behind.rend() - end);
    resized->paint(behind, used);
    resized->move_to(std::min<std::size_t>(used, size.rows - 1), 0);
    resized->write("\033[?1049h");
  }
  resized->paint(shown, row);
  resized->move_to(std::min<std::size_t>(row, size.rows - 1), col);
  resized->write(terminal_->cursor_visible ? "\033[?25h" : "\033[?25l");
  resized->title = std::move(terminal_->title);
  resized->characters = std::move(terminal_->characters);
  resized->sequences = std::move(terminal_->sequences);
  terminal_ = std::move(resized);
}

ScreenSize Screen::size() const { return terminal_->size; }

std::vector<std::string> Screen::lines() const {
  return terminal_->lines(static_cast<int>(terminal_->size.cols));
}

std::uint32_t Screen::cursor_row() const {
  return static_cast<std::uint32_t>(std::max(terminal_->cursor.row, 0));
}
std::uint32_t Screen::cursor_col() const {
  return static_cast<std::uint32_t>(std::max(terminal_->cursor.col, 0));
}
bool Screen::cursor_visible() const { return terminal_->cursor_visible; }
const std::string& Screen::title() const { return terminal_->title; }
bool Screen::alternate() const { return terminal_->alternate; }

}  // namespace talaria::tool
