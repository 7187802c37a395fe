#include "tools/screen.h"

#include <vterm.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"

namespace talaria {
namespace {

constexpr std::uint32_t kReplacement = 0xfffd;
constexpr std::uint32_t kRightHalf = ~0u;  // in the cell behind a wide character

// The library takes longer and impossible sequences for characters, too.
std::uint32_t checked(std::uint32_t character) {
  const bool surrogate = character >= 0xd800 && character <= 0xdfff;
  return surrogate || character > 0x10ffff ? kReplacement : character;
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

// What the library tells us through callbacks is kept at one address.
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

  std::string line(int row) const {
    std::string text;
    VTermPos position{row, 0};
    for (; position.col < static_cast<int>(size.cols); ++position.col) {
      VTermScreenCell cell{};
      vterm_screen_get_cell(screen, position, &cell);
      append_cell(text, cell);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  ScreenSize size;
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
  // The library has room on its stack for each piece of text, as long as that may be.
  constexpr std::size_t kPiece = 4096;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kPiece, bytes.size()))) {
    vterm_input_write(terminal_->vterm.get(), bytes.data(), std::min(kPiece, bytes.size()));
  }
}

void Screen::resize(ScreenSize size) {
  terminal_->size = possible(size);
  vterm_set_size(terminal_->vterm.get(), static_cast<int>(terminal_->size.rows),
                 static_cast<int>(terminal_->size.cols));
}

ScreenSize Screen::size() const { return terminal_->size; }

std::vector<std::string> Screen::lines() const {
  std::vector<std::string> lines;
  for (int row = 0; row < static_cast<int>(terminal_->size.rows); ++row) {
    lines.push_back(terminal_->line(row));
  }
  return lines;
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

}  // namespace talaria
