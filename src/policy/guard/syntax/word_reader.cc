// Words: quotes, escapes, and what stands between them.
#include <algorithm>
#include <utility>

#include "policy/guard/syntax/script_reader.h"

namespace talaria::guard {
namespace {

using PartKind = WordPart::Kind;

constexpr std::size_t kMaxIndexBytes = 256;  // up to the first quote or expansion in it

bool starts_group(char c) { return c == '?' || c == '*' || c == '+' || c == '@' || c == '!'; }

// Nothing special begins there.
bool goes_on_plainly(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (ends_word(c) || c == '\\' || c == '\'' || c == '"' || c == '$' || c == '`') return false;
  return !starts_group(c) || at + 1 == text.size() || text[at + 1] != '(';
}

}  // namespace

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x110000) {
    out += static_cast<char>(0xf0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

std::uint32_t take_number(std::string_view text, std::size_t& at, std::size_t most, int base) {
  std::uint32_t value = 0;
  for (std::size_t n = 0; n < most && at < text.size() && digit_value(text[at]) < base; ++n) {
    value = value * static_cast<std::uint32_t>(base) +
            static_cast<std::uint32_t>(digit_value(text[at++]));
  }
  return value;
}

bool is_escaped_in_quotes(char c) { return c == '$' || c == '`' || c == '\\' || c == '"'; }

std::string decode_c_quoted(std::string_view text) {
  static constexpr std::string_view kLetters = "abeEfnrtv\\'\"?";
  static constexpr std::string_view kMeanings = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?";
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i++];
      continue;
    }
    const char c = text[i + 1];
    i += 2;
    const bool hex = i < text.size() && digit_value(text[i]) < 16;
    if (const std::size_t letter = kLetters.find(c); letter != std::string_view::npos) {
      out += kMeanings[letter];
    } else if (c == 'x' && hex) {
      out += static_cast<char>(take_number(text, i, 2, 16));
    } else if (c == 'x' && i < text.size() && text[i] == '{') {
      out += static_cast<char>(take_number(text, ++i, text.size(), 16));
      if (i < text.size() && text[i] == '}') ++i;
    } else if ((c == 'u' || c == 'U') && hex) {
      append_utf8(out, take_number(text, i, c == 'u' ? 4 : 8, 16));
    } else if (c >= '0' && c <= '7') {
      out += static_cast<char>(take_number(text, --i, 3, 8));
    } else if (c == 'c' && i < text.size()) {
      out += static_cast<char>(text[i++] & 0x1f);
    } else {
      out += '\\';
      out += c;
    }
  }
  // bash ends the string at a NUL
  return out.substr(0, out.find('\0'));
}

void add_text(ShellWord& word, std::string_view text, bool quoted) {
  if (!word.parts.empty() && word.parts.back().kind == PartKind::text &&
      word.parts.back().quoted == quoted) {
    word.parts.back().text += text;
  } else {
    word.parts.emplace_back(PartKind::text, quoted, std::string(text));
  }
}

ShellWord ScriptReader::read_word(bool patterns) {
  ShellWord word;
  word.begin = origin(at_);
  if (++state_.words > kMaxScriptWords) fail("it has too many words");
  while (!at_end()) {
    const char c = peek();
    if ((c == '<' || c == '>') && peek(1) == '(') {
      read_process_substitution(word);
    } else if (ends_word(c)) {
      break;
    } else if (c == '\\') {
      read_escape(word, Quotes::none);
    } else if (c == '\'') {
      read_single_quoted(word);
    } else if (c == '"') {
      read_double_quoted(word);
    } else if (c == '$') {
      read_dollar(word, Quotes::none);
    } else if (c == '`') {
      read_backquoted(word, Quotes::none);
    } else if (patterns && peek(1) == '(' && starts_group(c)) {
      read_pattern_group(word);
    } else {
      std::size_t end = at_ + 1;
      while (end < text_.size() && goes_on_plainly(text_, end)) ++end;
      add_text(word, text_.substr(at_, end - at_), false);
      at_ = end;
    }
  }
  word.end = origin(at_);
  return word;
}

// *(a|b): a pattern, for a shell that has extglob on; others refuse the text.
void ScriptReader::read_pattern_group(ShellWord& word) {
  add_text(word, text_.substr(at_, 2), false);
  at_ += 2;
  if (!enter()) return;
  while (!at_end() && peek() != ')') {
    if (peek() == '|' || peek() == ' ' || peek() == '\t') {
      add_text(word, text_.substr(at_++, 1), false);
    } else if (ends_word(peek())) {
      break;
    } else {
      ShellWord piece = read_word();
      for (WordPart& part : piece.parts) word.parts.push_back(std::move(part));
    }
  }
  leave();
  if (!take(")")) return fail("a ')' is missing in a pattern");
  add_text(word, ")", false);
}

void ScriptReader::read_escape(ShellWord& word, Quotes quotes) {
  const char next = peek(1);
  if (at_ + 1 >= text_.size()) {
    add_text(word, "\\", true);
    ++at_;
    return;
  }
  at_ += 2;
  if (next == '\n') return;
  const bool escapes = quotes == Quotes::none ||
                       (is_escaped_in_quotes(next) && (next != '"' || quotes == Quotes::doubled));
  add_text(word, text_.substr(escapes ? at_ - 1 : at_ - 2, escapes ? 1 : 2), true);
}

void ScriptReader::read_single_quoted(ShellWord& word) {
  const std::size_t end = text_.find('\'', at_ + 1);
  if (end == std::string_view::npos) return fail("a ' is never closed");
  add_text(word, text_.substr(at_ + 1, end - at_ - 1), true);
  at_ = end + 1;
}

void ScriptReader::read_c_quoted(ShellWord& word) {
  std::size_t end = at_ + 2;  // behind $'
  while (end < text_.size() && text_[end] != '\'') end += text_[end] == '\\' ? 2 : 1;
  if (end >= text_.size()) return fail("a $' is never closed");
  add_text(word, decode_c_quoted(text_.substr(at_ + 2, end - at_ - 2)), true);
  at_ = end + 1;
}

void ScriptReader::read_double_quoted(ShellWord& word) {
  ++at_;
  if (take("\"")) return add_text(word, "", true);  // "" is a word
  read_until(word, '"', Quotes::doubled);
}

// Reads up to `stop` and takes it, too.
void ScriptReader::read_until(ShellWord& word, char stop, Quotes quotes, bool single_quotes) {
  const bool quoted = quotes != Quotes::none;
  const std::string special = std::string("\\'\"$`<>") + stop;
  while (!at_end()) {
    const char c = peek();
    if (c == stop) {
      ++at_;
      return;
    }
    if (c == '\\') {
      read_escape(word, quotes);
    } else if (c == '$') {
      read_dollar(word, quotes);
    } else if (c == '`') {
      read_backquoted(word, quotes);
    } else if (c == '\'' && single_quotes && stop != '"') {
      read_single_quoted(word);
    } else if (c == '"' && stop != '"') {
      read_double_quoted(word);
    } else if ((c == '<' || c == '>') && peek(1) == '(' && !quoted) {
      read_process_substitution(word);
    } else {
      const std::size_t end = std::min(text_.find_first_of(special, at_ + 1), text_.size());
      add_text(word, text_.substr(at_, end - at_), quoted);
      at_ = end;
    }
  }
  fail(std::string("a closing ") + stop + " is missing");
}

ShellWord ScriptReader::read_document_body() {
  ShellWord body;
  body.begin = origin(0);
  while (!at_end()) {
    if (peek() == '\\') {
      read_escape(body, Quotes::document);
    } else if (peek() == '$') {
      read_dollar(body, Quotes::document);
    } else if (peek() == '`') {
      read_backquoted(body, Quotes::document);
    } else {
      const std::size_t end = std::min(text_.find_first_of("\\$`", at_ + 1), text_.size());
      add_text(body, text_.substr(at_, end - at_), true);
      at_ = end;
    }
  }
  body.end = origin(text_.size());
  return body;
}

// --- assignments
// ----------------------------------------------------------------------------------

bool ScriptReader::read_assignment(std::vector<ShellAssignment>& assignments, bool only_array) {
  if (!is_name_start(peek())) return false;
  std::size_t end = at_;
  while (end < text_.size() && is_name_char(text_[end])) ++end;
  ShellAssignment assignment;
  assignment.name = text_.substr(at_, end - at_);
  const std::string_view rest = text_.substr(end);
  if (only_array && !rest.starts_with("=(") && !rest.starts_with("+=(")) return false;
  if (rest.starts_with("[")) {
    const Mark start = mark();
    at_ = end + 1;
    assignment.element = true;
    // a subscript without its end is an ordinary word, a pattern
    const std::string_view near = text_.substr(at_, kMaxIndexBytes);
    const std::size_t stop = near.find_first_of("] \t\n;|&\"'$`");
    if (stop == std::string_view::npos || !std::string_view("]\"'$`").contains(near[stop])) {
      at_ = start.at;
      return false;
    }
    read_until(assignment.index, ']', Quotes::none);
    if (failed()) return false;
    if (peek() != '=' && !looking_at("+=")) {
      back_to(start);
      return false;
    }
  } else if (rest.starts_with("=") || rest.starts_with("+=")) {
    at_ = end;
  } else {
    return false;
  }
  assignment.append = take("+");
  ++at_;
  if (peek() == '(') {
    read_array(assignment);
  } else {
    assignment.value = read_word();
  }
  assignments.push_back(std::move(assignment));
  return true;
}

void ScriptReader::read_array(ShellAssignment& assignment) {
  assignment.array = true;
  ++at_;
  for (skip_lines(); !failed() && peek() != ')'; skip_lines()) {
    if (at_end() || (ends_word(peek()) && !looking_at("<(") && !looking_at(">("))) {
      return fail("a ')' is missing in an array");
    }
    assignment.elements.push_back(read_word());
  }
  if (!failed()) ++at_;
}

}  // namespace talaria::guard
