#include "front/cli/attach/terminal_modes.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace talaria::front::cli {
namespace {

// Autowrap and the cursor.
constexpr bool is_on_by_default(int mode) { return mode == 7 || mode == 25; }

bool is_alternate(int mode) { return mode == 47 || mode == 1047 || mode == 1049; }

// Cursor keys, autowrap, cursor, alternate screens, mouse, focus, bracketed paste.
constexpr auto kTracked =
    std::to_array({1, 7, 25, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1047, 1049, 2004});

bool is_csi(std::string_view sequence) { return sequence.starts_with("\x1b["); }

std::string set_mode(int mode, bool on) {
  return "\x1b[?" + std::to_string(mode) + (on ? "h" : "l");
}

}  // namespace

void TerminalModes::feed(std::string_view bytes) {
  splitter_.feed(bytes, [](std::string_view) {}, [this](std::string_view one) { take(one); });
}

void TerminalModes::take(std::string_view sequence) {
  if (sequence == "\033c") {  // a full reset
    on_.clear();
    off_.clear();
    keypad_ = coloured_ = region_ = false;
    return;
  }
  if (sequence == "\x1b=" || sequence == "\x1b>") keypad_ = sequence == "\x1b=";
  if (!is_csi(sequence)) return;
  const char last = sequence.back();
  std::string_view parameters = sequence.substr(2, sequence.size() - 3);
  if (last == 'm' && !parameters.starts_with('>') && !parameters.starts_with('?')) {
    coloured_ = !parameters.empty() && parameters != "0";
  }
  if (last == 'r' && !parameters.starts_with('?')) region_ = !parameters.empty();
  if ((last != 'h' && last != 'l') || !parameters.starts_with('?')) return;
  parameters.remove_prefix(1);
  while (!parameters.empty()) {
    const std::string_view number = next_word(parameters, ';');
    int mode = 0;
    std::from_chars(number.data(), number.data() + number.size(), mode);
    if (std::ranges::find(kTracked, mode) == kTracked.end()) continue;
    std::set<int>& changed = is_on_by_default(mode) ? off_ : on_;
    const bool back = (last == 'h') == is_on_by_default(mode);
    if (back) changed.erase(mode);
    if (!back) changed.insert(mode);
  }
}

bool TerminalModes::alternate_screen() const { return std::ranges::any_of(on_, is_alternate); }

std::string TerminalModes::switch_on() const {
  std::string text;
  for (const int mode : on_) text += set_mode(mode, true);
  for (const int mode : off_) text += set_mode(mode, false);
  return keypad_ ? text + "\x1b=" : text;
}

// The alternate screen last: its modes are reset while it is shown.
std::string TerminalModes::switch_off() const {
  std::string text;
  if (coloured_) text += "\x1b[0m";
  if (region_) text += "\0337\033[r\0338";  // save and restore the cursor, which "r" moves
  if (keypad_) text += "\x1b>";
  for (const int mode : off_) text += set_mode(mode, true);
  for (const int mode : on_) {
    if (!is_alternate(mode)) text += set_mode(mode, false);
  }
  for (const int mode : on_) {
    if (is_alternate(mode)) text += set_mode(mode, false);
  }
  return text;
}

// Queries of its type, cursor position, colours and settings are answered.
bool is_silent(std::string_view sequence) {
  if (is_csi(sequence)) {
    const char last = sequence.back();
    if (last == 'c' || last == 'n' || last == 'x') return false;
    if (last == 't' || last == 'q') return sequence.contains(' ');  // " q" is the cursor's shape
    if (last == 'p') return !sequence.contains('$');
    return last != 'u' || !sequence.contains('?');
  }
  if (sequence.starts_with("\x1b]")) return !sequence.contains(";?");
  if (sequence.starts_with("\x1bP")) return !sequence.contains("$q") && !sequence.contains("+q");
  return sequence != "\x1bZ";
}

bool is_colour(std::string_view sequence) {
  return is_csi(sequence) && sequence.ends_with('m') && !sequence.contains('>') &&
         !sequence.contains('?');
}

std::string SequenceFilter::pass(std::string_view bytes) {
  std::string passed;
  splitter_.feed(
      bytes, [&](std::string_view text) { passed += text; },
      [&](std::string_view sequence) {
        if (passes_(sequence)) passed += sequence;
      });
  return passed;
}

}  // namespace talaria::front::cli
