#include "tools/screen.h"

#include <vterm.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/escape_sequence.h"
#include "base/limits.h"
#include "base/text.h"

namespace talaria::tool {
namespace {

// SafeSequences: removes from terminal output what the library that draws the screen cannot take.
// The library writes past its array at the 17th parameter of a sequence, and repeating a character
// (CSI n b) without one never ends. So an escape sequence is passed on complete, well formed and
// with limited numbers, or not at all. A repetition is replaced by the characters.
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

using escape::is_intermediate;
using escape::kEscape;
constexpr char kDelete = '\177';

// What begins a string that no terminal shows: DCS, SOS, PM, APC. They are passed on as the kind
// that ends the same way and, with this number, means nothing: the library prints some of them, and
// falls over a question in another.
constexpr std::string_view kUnseenStrings = "PX^_";
constexpr std::string_view kUnseenString = "\033]9999;";

constexpr std::size_t kMostHeld = 256;
constexpr std::size_t kMostParameters = 16;
constexpr std::size_t kMostMarks = 2;  // in front of the parameters, and behind them
constexpr std::uint32_t kLargestNumber = 9999;

bool is_parameter(char c) { return is_digit(c) || c == ';' || c == ':'; }
bool is_leader(char c) { return c >= '<' && c <= '?'; }

// Takes the characters of one kind off the front.
std::string_view take_all(std::string_view& text, bool (*kind)(char)) {
  const auto end = std::ranges::find_if_not(text, kind);
  const std::string_view taken = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(taken.size());
  return taken;
}

std::uint32_t number_of(std::string_view digits, std::uint32_t largest) {
  std::uint32_t number = 0;
  for (const char digit : digits) {
    number = std::min(number * 10 + static_cast<std::uint32_t>(digit - '0'), largest);
  }
  return number;
}

std::string limited(std::string_view parameters) {
  std::string result;
  for (std::size_t count = 1; count <= kMostParameters; ++count) {
    const std::string_view digits = take_all(parameters, is_digit);
    if (!digits.empty()) result += std::to_string(number_of(digits, kLargestNumber));
    if (parameters.empty()) return result;
    if (count < kMostParameters) result += parameters.front();
    parameters.remove_prefix(1);
  }
  return result;
}

// The sequence ESC [ ... `last`, made harmless; nothing if it is none.
std::string whole_sequence(std::string_view held, char last) {
  const std::string_view leader = take_all(held, is_leader);
  const std::string_view parameters = take_all(held, is_parameter);
  const std::string_view marks = take_all(held, is_intermediate);
  if (!held.empty() || leader.size() > kMostMarks || marks.size() > kMostMarks) return "";
  std::string result{kEscape, '['};
  result.append(leader).append(limited(parameters)).append(marks);
  return result += last;
}

bool is_control(char c) { return (c >= 0 && c < ' ') || c == kDelete; }
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The last character of the text that is not a control character; empty if there is none.
std::string_view last_character(std::string_view text) {
  while (!text.empty() && is_control(text.back())) text.remove_suffix(1);
  for (std::size_t at = text.size(); at > 0; --at) {
    if (!continues_character(text[at - 1])) return text.substr(at - 1);
  }
  return {};
}

std::string SafeSequences::pass(std::string_view bytes, std::uint32_t most) {
  std::string out;
  out.reserve(bytes.size() + held_.size());
  while (!bytes.empty()) {
    if (place_ == Place::text) {
      const std::size_t plain = std::min(bytes.find(kEscape), bytes.size());
      out.append(bytes.substr(0, plain));
      if (const auto last = last_character(bytes.substr(0, plain)); !last.empty()) last_ = last;
      bytes.remove_prefix(plain);
      if (bytes.empty()) break;
    }
    take(bytes.front(), most, out);
    bytes.remove_prefix(1);
  }
  return out;
}

void SafeSequences::take(char byte, std::uint32_t most, std::string& out) {
  if (byte == kEscape) {  // also ends what was under way
    place_ = Place::escape;
    held_.clear();
    too_long_ = false;
  } else if (byte == escape::kCancel || byte == escape::kSubstitute) {
    out += byte;
    place_ = Place::text;
  } else if (is_control(byte)) {  // acts at once, wherever it is
    out += byte;
  } else if (place_ == Place::escape) {
    take_escape(byte, out);
  } else {
    take_sequence(byte, most, out);
  }
}

void SafeSequences::take_escape(char byte, std::string& out) {
  if (is_intermediate(byte)) {
    hold(byte);
    return;
  }
  place_ = Place::text;
  if (byte == '[') {
    place_ = Place::sequence;
    held_.clear();
  } else if (byte < 0) {
    out += byte;  // the beginning of a character
  } else if (kUnseenStrings.contains(byte)) {
    out += kUnseenString;
  } else if (held_.size() <= kMostMarks) {
    out.append(1, kEscape).append(held_).append(1, byte);
  }
}

void SafeSequences::take_sequence(char byte, std::uint32_t most, std::string& out) {
  if (byte >= 0 && !escape::is_control_end(byte)) {
    hold(byte);
    return;
  }
  place_ = Place::text;
  if (byte < 0) {
    out += byte;  // the beginning of a character
  } else if (byte == 'b' && std::ranges::all_of(held_, is_parameter)) {
    repeat(most, out);
  } else if (!too_long_) {
    out += whole_sequence(held_, byte);
  }
}

void SafeSequences::repeat(std::uint32_t most, std::string& out) const {
  std::string_view parameters = held_;
  const std::uint32_t times = number_of(take_all(parameters, is_digit), most);
  for (std::uint32_t i = 0; i < std::max(times, 1u); ++i) out += last_;
}

void SafeSequences::hold(char byte) {
  too_long_ = too_long_ || held_.size() == kMostHeld;
  if (!too_long_) held_ += byte;
}

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
