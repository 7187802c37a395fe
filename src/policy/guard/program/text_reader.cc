// Texts of programs between quotes, and what is put into them.
#include <algorithm>
#include <cctype>
#include <utility>

#include "policy/guard/program/token_reader.h"
#include "policy/guard/run/seen_command.h"
#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using L = ProgramLanguage;

unsigned escape_digit(char c) {
  return static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

}  // namespace

// How a value is put into a text between double quotes.
std::string_view TokenReader::usual_put_in() const {
  switch (language_) {
    case L::perl:
      return "$@";
    case L::ruby:
      return "#{";
    case L::php:
    case L::julia:
      return "$";
    default:
      return "";
  }
}

TokenReader::QuoteStyle TokenReader::style_from(char open, bool fills) const {
  const char close = closing_of(open);
  return {.end = std::string(1, close),
          .open = close == open ? '\0' : open,
          .escapes = fills,
          .put_in = fills ? usual_put_in() : ""};
}

bool TokenReader::read_literal() {
  if (read_here_document() || read_long_bracket() || read_regex() || read_percent()) return true;
  const char c = peek();
  if (c == '?' && is(L::ruby) && !after_value() && !is_space(peek(1)) && !is_name_char(peek(2))) {
    add(Kind::text, std::string(1, peek(1)));  // ?a is a character
    advance(2);
    return true;
  }
  if (c == '\'' && (is(L::c) || is(L::julia))) return read_character();
  if (c != '"' && c != '\'' && c != '`') return false;
  if (c == '`' && (is(L::python) || is(L::lua))) return false;
  read_plain_quote();
  return true;
}

void TokenReader::read_plain_quote() {
  const char c = peek();
  const std::size_t line = line_;
  const bool may_be_triple = is(L::python) || is(L::julia) || is(L::c);
  const std::string three(3, c);
  const bool triple = may_be_triple && c != '`' && begins(three);
  advance(triple ? 3 : 1);
  QuoteStyle style{.end = triple ? three : std::string(1, c)};
  Kind kind = Kind::text;
  if (c == '`') {
    if (is(L::javascript)) style.put_in = "${";
    style.raw = is(L::c);
    const bool runs = is(L::perl) || is(L::ruby) || is(L::php) || is(L::julia);
    if (runs) style.put_in = usual_put_in();
    kind = runs ? Kind::command : is(L::r) ? Kind::name : Kind::text;
  } else if (c == '"') {
    style.put_in = usual_put_in();
  } else {
    style.escapes = !(is(L::perl) || is(L::ruby) || is(L::php));
  }
  const bool one_line = is(L::python) || is(L::javascript) || is(L::lua) || is(L::c);
  style.lines = triple || c == '`' || !one_line;
  add_quoted(kind, read_until(style), line);
}

// r"…", f'…', R"x(…)x" and their like; `name` is what stands before the quote.
bool TokenReader::read_prefixed(std::string_view name) {
  if (!(is(L::python) || is(L::c) || is(L::r)) || name.size() > 2) return false;
  const char quote = peek(name.size());
  const std::string lower = lower_case(name);
  const std::size_t line = line_;
  if (is(L::c) && name == "r" && quote == '#') {  // Rust's r#"…"#
    std::size_t hashes = 0;
    while (peek(1 + hashes) == '#') ++hashes;
    if (peek(1 + hashes) != '"') return false;
    advance(hashes + 2);
    add_quoted(Kind::text, read_until({.end = "\"" + std::string(hashes, '#'), .raw = true}), line);
    return true;
  }
  if ((quote != '"' && quote != '\'') || lower.find_first_not_of("rbfutl") != std::string::npos) {
    return false;
  }
  const bool raw = lower.contains('r');
  if (!is(L::python)) {
    if (!raw) return false;
    advance(name.size() + 1);
    const std::size_t open = rest().find_first_of(is(L::r) ? "([{" : "(");
    if (is(L::r) || (name == "R" && open != std::string_view::npos)) {
      const std::string mark(rest().substr(0, std::min(open, rest().size())));
      const std::string close(1, is(L::r) ? closing_of(peek(mark.size())) : ')');
      advance(mark.size() + 1);
      const std::string end = close + mark + quote;
      add_quoted(Kind::text, read_until({.end = end, .raw = true}), line);
    } else {
      add_quoted(Kind::text, read_until({.end = "\"", .raw = true}), line);
    }
    return true;
  }
  advance(name.size());
  const std::string three(3, quote);
  const bool triple = begins(three);
  advance(triple ? 3 : 1);
  const bool filled = lower.contains('f') || lower.contains('t');
  const QuoteStyle style{.end = triple ? three : std::string(1, quote),
                         .raw = raw,
                         .put_in = filled ? "{" : "",
                         .lines = triple};
  add_quoted(Kind::text, read_until(style), line);
  return true;
}

// [[…]], [=[…]=] of Lua.
bool TokenReader::read_long_bracket() {
  if (!is(L::lua) || peek() != '[') return false;
  std::size_t level = 0;
  while (peek(1 + level) == '=') ++level;
  if (peek(1 + level) != '[') return false;
  const std::size_t line = line_;
  advance(level + 2);
  add_quoted(Kind::text, read_until({.end = "]" + std::string(level, '=') + "]", .raw = true}),
             line);
  return true;
}

// 'a' of C, and the marks of Rust and Julia that are no quotes.
bool TokenReader::read_character() {
  std::string_view line = rest().substr(0, 512);
  line = line.substr(0, line.find('\n'));
  const bool operand = is(L::julia) && after_value() && !spaced_;
  std::size_t end = 1;
  while (end < line.size() && line[end] != '\'') end += line[end] == '\\' ? 2 : 1;
  const bool lifetime = end > 2 && line.size() > 1 && line[1] != '\\' && !found_.tokens.empty() &&
                        among(found_.tokens.back().text, "< & , : + dyn impl");
  if (operand || lifetime || end >= line.size()) {
    add(Kind::mark, "'");
    advance(1);
    return true;
  }
  advance(1);
  const std::size_t at = line_;
  add_quoted(Kind::text, read_until({.end = "'"}), at);
  return true;
}

TokenReader::Quoted TokenReader::read_until(const QuoteStyle& style) {
  Quoted quoted;
  int depth = 0;
  while (at_ < text_.size()) {
    if (depth == 0 && begins(style.end)) {
      advance(style.end.size());
      return quoted;
    }
    const char c = peek();
    if (c == '\n' && !style.lines) {
      trouble("a text has no end");
      return quoted;
    }
    if (style.open != '\0' && c == style.open) ++depth;
    if (style.open != '\0' && style.end.front() == c) --depth;
    if (c == '\\' && at_ + 1 < text_.size()) {
      read_escape(style, quoted.text);
    } else if (c == kUnknownPiece) {
      quoted.text += kUnknownPiece;
      quoted.pieces.emplace_back();
      advance(1);
    } else if (!read_put_in(style, quoted)) {
      quoted.text += c;
      advance(1);
    }
  }
  if (style.end.front() != kUnknownPiece) trouble("a text has no end");
  return quoted;
}

// What a backslash stands for.
void TokenReader::read_escape(const QuoteStyle& style, std::string& text) {
  const char c = peek(1);
  if (style.raw || !style.escapes) {
    const bool protects =
        style.raw ? false : c == '\\' || c == style.end.front() || c == style.open;
    const bool passes = style.raw && language_ == L::python;  // r'\'' does not end there
    if (!protects || passes) text += '\\';
    advance(1);
    if (protects || passes) {
      text += c;
      advance(1);
    }
    return;
  }
  advance(2);
  const auto digits = [&](std::size_t most, unsigned base) {
    unsigned value = 0;
    const auto is_digit = [&](char one) {
      return std::isxdigit(static_cast<unsigned char>(one)) != 0 && escape_digit(one) < base;
    };
    for (std::size_t i = 0; i < most && at_ < text_.size() && is_digit(peek()); ++i) {
      value = value * base + escape_digit(peek());
      advance(1);
    }
    text += value < 128 && value > 0 ? static_cast<char>(value) : '?';
  };
  if (c == 'n') {
    text += '\n';
  } else if (c == 't') {
    text += '\t';
  } else if (c == '\n') {
    return;
  } else if (c == 'x' || c == 'u' || c == 'U') {
    const bool braces = peek() == '{';
    if (braces) advance(1);
    digits(braces ? 8 : c == 'x' ? 2 : c == 'u' ? 4 : 8, 16);
    if (braces && peek() == '}') advance(1);
  } else if (is(L::lua) && std::isdigit(static_cast<unsigned char>(c)) != 0) {
    --at_;
    digits(3, 10);
  } else if (c >= '0' && c <= '7') {
    --at_;
    digits(3, 8);
  } else {
    text += c;
  }
}

// A value that is put into the text: its code is kept beside it.
bool TokenReader::read_put_in(const QuoteStyle& style, Quoted& quoted) {
  const std::string_view how = style.put_in;
  if (how.empty()) return false;
  const char c = peek();
  std::string code;
  if (how == "{") {  // Python
    if (c == '}' && peek(1) == '}') advance(1);
    if (c != '{') return false;
    if (peek(1) == '{') {
      advance(1);
      return false;
    }
    advance(1);
    code = read_balanced('{', '}');
  } else if (how == "${" || how == "#{") {
    if (!begins(how)) return false;
    advance(2);
    code = read_balanced('{', '}');
  } else if (c == '{' && peek(1) == '$' && is(L::php)) {
    advance(1);
    code = read_balanced('{', '}');
  } else if (how.contains(c) && (peek(1) == '{' || (is(L::julia) && peek(1) == '('))) {
    advance(2);
    code = is(L::julia) ? read_balanced('(', ')') : read_balanced('{', '}');
    if (code.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") ==
        std::string::npos) {
      code.insert(0, 1, c);  // ${name}
    }
  } else if (how.contains(c) && (is_name_start(peek(1)) || (is(L::perl) && peek(1) == '$'))) {
    code += c;
    advance(1);
    while (is_name_char(peek()) || (is(L::perl) && begins("::")) || peek() == '$') {
      code += peek();
      advance(1);
    }
    while (!is(L::julia)) {  // $x[0], $x->{a}, $ENV{HOME}
      const std::size_t arrow = begins("->") && (peek(2) == '[' || peek(2) == '{') ? 2 : 0;
      const char open = peek(arrow);
      const bool part = open == '[' || (open == '{' && is(L::perl));
      if (!part || begins(style.end)) break;
      code += rest().substr(0, arrow + 1);
      advance(arrow + 1);
      code += read_balanced(open, closing_of(open)) + closing_of(open);
    }
  } else {
    return false;
  }
  quoted.text += kUnknownPiece;
  quoted.pieces.push_back(std::move(code));
  return true;
}

// Up to the bracket that closes it, which is passed.
std::string TokenReader::read_balanced(char open, char close) {
  const std::size_t begin = at_;
  int depth = 1;
  char quote = '\0';
  while (at_ < text_.size()) {
    const char c = peek();
    if (quote != '\0') {
      if (c == '\\') advance(1);
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == open) {
      ++depth;
    } else if (c == close && --depth == 0) {
      break;
    }
    advance(1);
  }
  if (at_ >= text_.size()) trouble("a bracket in a text has no end");
  std::string code(text_.substr(begin, at_ - begin));
  advance(1);
  return code;
}

void TokenReader::add_quoted(Kind kind, Quoted quoted, std::size_t line) {
  add(kind, std::move(quoted.text));
  found_.tokens.back().line = line;
  found_.tokens.back().pieces = std::move(quoted.pieces);
}

}  // namespace talaria::guard
