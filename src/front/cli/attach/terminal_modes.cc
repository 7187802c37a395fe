#include "front/cli/attach/terminal_modes.h"

#include <charconv>

#include "base/text.h"

namespace talaria::front::cli {
namespace {

// Autowrap and the cursor: a fresh terminal has them.
constexpr bool is_on_by_default(int mode) { return mode == 7 || mode == 25; }

bool is_alternate(int mode) { return mode == 47 || mode == 1047 || mode == 1049; }

// Those one has to bring along or to undo: cursor keys, autowrap, cursor, alternate screens, mouse,
// focus, bracketed paste.
bool is_minded(int mode) {
  for (const int one : {1, 7, 25, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1047, 1049, 2004}) {
    if (mode == one) return true;
  }
  return false;
}

bool is_csi(std::string_view sequence) { return sequence.starts_with("\x1b["); }

std::string set_mode(int mode, bool on) {
  return "\x1b[?" + std::to_string(mode) + (on ? "h" : "l");
}

// One that a terminal answers: what it is, where its cursor is, which colour, which setting.
bool asks(std::string_view sequence) {
  if (is_csi(sequence)) {
    const char last = sequence.back();
    if (last == 'c' || last == 'n' || last == 'x') return true;
    if (last == 't' || last == 'q') return !sequence.contains(' ');  // " q" is the cursor's shape
    if (last == 'p') return sequence.contains('$');
    return last == 'u' && sequence.contains('?');
  }
  if (sequence.starts_with("\x1b]")) return sequence.contains(";?");
  if (sequence.starts_with("\x1bP")) return sequence.contains("$q") || sequence.contains("+q");
  return sequence == "\x1bZ";
}

}  // namespace

void TerminalModes::feed(std::string_view bytes) {
  splitter_.feed(bytes, [](std::string_view) {}, [this](std::string_view one) { take(one); });
}

void TerminalModes::take(std::string_view sequence) {
  if (sequence ==
      "\x1b"
      "c") {  // a full reset
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
    if (!is_minded(mode)) continue;
    std::set<int>& changed = is_on_by_default(mode) ? off_ : on_;
    const bool back = (last == 'h') == is_on_by_default(mode);
    if (back) changed.erase(mode);
    if (!back) changed.insert(mode);
  }
}

bool TerminalModes::alternate_screen() const {
  for (const int mode : on_) {
    if (is_alternate(mode)) return true;
  }
  return false;
}

std::string TerminalModes::switch_on() const {
  std::string text;
  for (const int mode : on_) text += set_mode(mode, true);
  for (const int mode : off_) text += set_mode(mode, false);
  return keypad_ ? text + "\x1b=" : text;
}

// The alternate screen last: what was set there is undone there.
std::string TerminalModes::switch_off() const {
  std::string text;
  if (coloured_) text += "\x1b[0m";
  if (region_)
    text +=
        "\x1b"
        "7\x1b[r\x1b"
        "8";  // which would move the cursor
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

std::string ReplayFilter::pass(std::string_view bytes) {
  std::string passed;
  splitter_.feed(
      bytes, [&](std::string_view text) { passed += text; },
      [&](std::string_view sequence) {
        if (!asks(sequence)) passed += sequence;
      });
  return passed;
}

std::string PlainFilter::pass(std::string_view bytes) {
  std::string passed;
  splitter_.feed(
      bytes, [&](std::string_view text) { passed += text; },
      [&](std::string_view sequence) {
        const bool colour = is_csi(sequence) && sequence.ends_with('m') &&
                            !sequence.contains('>') && !sequence.contains('?');
        if (colour) passed += sequence;
      });
  return passed;
}

}  // namespace talaria::front::cli
