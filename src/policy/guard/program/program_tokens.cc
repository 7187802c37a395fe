#include "policy/guard/program/program_tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_set>
#include <utility>

#include "policy/guard/program/token_reader.h"
#include "policy/guard/run/seen_command.h"
#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using L = ProgramLanguage;

constexpr std::size_t kMaxTokens = 50'000;  // more is not read

// The longest first.
constexpr auto kProgramMarks = std::to_array<std::string_view>({"===",
                                                                "!==",
                                                                "**=",
                                                                "...",
                                                                "<<=",
                                                                "<=>",
                                                                "||=",
                                                                "&&=",
                                                                "::",
                                                                "->",
                                                                "=>",
                                                                "==",
                                                                "!=",
                                                                "<=",
                                                                ">=",
                                                                "+=",
                                                                "-=",
                                                                "*=",
                                                                "/=",
                                                                ".=",
                                                                "=~",
                                                                "!~",
                                                                ":=",
                                                                "?.",
                                                                "?"
                                                                "?",
                                                                "..",
                                                                "||",
                                                                "&&",
                                                                "<<",
                                                                ">>",
                                                                "**",
                                                                "++",
                                                                "--"});

// Names behind which a value begins, so that a slash there is not a division.
constexpr std::string_view kBeforeValue =
    "return case in of do else elif if elsif unless while until and or not when then typeof void "
    "delete throw new await yield instanceof split grep map join print puts push unshift p lambda "
    "assert xor x lt gt le ge eq ne cmp";

bool is_before_value(std::string_view name) {
  static const std::unordered_set<std::string_view> words = [] {
    std::unordered_set<std::string_view> all;
    for (std::string_view list = kBeforeValue; !list.empty();) all.insert(next_word(list));
    return all;
  }();
  return words.contains(name);
}

bool is_identifier_start(char c) {
  return is_name_start(c) || static_cast<unsigned char>(c) >= 0x80;
}
bool is_identifier_char(char c) { return is_name_char(c) || static_cast<unsigned char>(c) >= 0x80; }
bool is_decimal(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

TokenReader::TokenReader(std::string_view text, ProgramLanguage language)
    : text_(text),
      language_(language),
      in_php_(language != ProgramLanguage::php || !text.contains("<?")),
      has_tags_(!in_php_) {}

ProgramTokens TokenReader::read() {
  while (at_ < text_.size()) {
    step();
    if (found_.tokens.size() > kMaxTokens) {
      trouble("it is too long");
      break;
    }
  }
  if (!pending_.empty()) trouble("a here-document has no text");
  return std::move(found_);
}

void TokenReader::trouble(std::string what) {
  if (found_.trouble.empty()) found_.trouble = std::move(what);
}

void TokenReader::add(Kind kind, std::string text) {
  found_.tokens.push_back({kind, std::move(text), line_, std::exchange(spaced_, false)});
}

// Counts lines on the way.
void TokenReader::advance(std::size_t count) {
  count = std::min(count, text_.size() - at_);
  line_ += static_cast<std::size_t>(std::ranges::count(text_.substr(at_, count), '\n'));
  at_ += count;
}

void TokenReader::skip_past(std::string_view end) {
  const std::size_t found = text_.find(end, at_);
  if (found == std::string_view::npos) trouble("a comment has no end");
  advance(found == std::string_view::npos ? text_.size() : found + end.size() - at_);
  spaced_ = true;
}

// Whether the last token ends a value: then a slash divides, and a quote does not begin a text.
bool TokenReader::after_value() const {
  if (found_.tokens.empty()) return false;
  const ProgramToken& last = found_.tokens.back();
  switch (last.kind) {
    case Kind::name:
      return !is_before_value(last.text);
    case Kind::mark:
      return among(last.text, ") ] } ++ --");
    default:
      return true;
  }
}

void TokenReader::step() {
  if (!in_php_) {
    if (!skip_outside_php()) advance(1);
    return;
  }
  if (skip_blank() || skip_comment()) return;
  if (peek() == kUnknownPiece) {
    add(Kind::unknown, "");
    advance(1);
  } else if (!read_literal() && !read_name()) {
    if (is_decimal(peek())) {
      read_number();
    } else {
      read_mark();
    }
  }
}

bool TokenReader::skip_blank() {
  if (peek() == '\n') {
    advance(1);
    finish_line();
  } else if (is_space(peek())) {
    advance(1);
  } else if (peek() == '\\' && (peek(1) == '\n' || peek(1) == '\r')) {
    advance(2);
  } else if (is(ProgramLanguage::php) && begins("?>")) {
    in_php_ = !has_tags_;
    advance(2);
  } else {
    return false;
  }
  spaced_ = true;
  return true;
}

// What is outside of <?php … ?> is printed.
bool TokenReader::skip_outside_php() {
  const std::size_t tag = text_.find("<?", at_);
  if (tag == std::string_view::npos) {
    at_ = text_.size();
    return true;
  }
  advance(tag + 2 - at_);
  if (begins("php")) advance(3);
  if (begins("=")) advance(1);
  in_php_ = true;
  return true;
}

bool TokenReader::skip_comment() {
  const bool slashes = is(L::javascript) || is(L::c) || is(L::php);
  const bool hash = is(L::python) || is(L::perl) || is(L::ruby) || is(L::r) || is(L::julia) ||
                    (is(L::php) && peek(1) != '[');
  if ((is(L::perl) || is(L::ruby)) && at_line_start()) {
    if (begins("__END__") || begins("__DATA__")) {
      at_ = text_.size();
      return true;
    }
    const bool ruby = begins("=begin");
    if (ruby || (is(L::perl) && peek() == '=' && is_identifier_start(peek(1)))) {
      const std::size_t end = text_.find(is(L::ruby) ? "\n=end" : "\n=cut", at_);
      if (end == std::string_view::npos) {
        at_ = text_.size();
      } else {
        advance(end + 5 - at_);
        advance(std::min(rest().find('\n'), rest().size()));
      }
      return spaced_ = true;
    }
  }
  const bool block = (slashes && begins("/*")) || (is(L::julia) && begins("#="));
  if (block) {
    advance(2);
    skip_past(is(L::julia) ? "=#" : "*/");
    return true;
  }
  if (is(L::lua) && begins("--[")) {
    at_ += 2;
    const std::size_t tokens = found_.tokens.size();
    if (read_long_bracket()) {
      found_.tokens.resize(tokens);
      return spaced_ = true;
    }
    at_ -= 2;
  }
  const bool line =
      (hash && peek() == '#') || (slashes && begins("//")) || (is(L::lua) && begins("--"));
  if (!line && !(at_ == 0 && begins("#!"))) return false;
  std::size_t end = std::min(text_.find('\n', at_), text_.size());
  if (is(L::php)) {
    const std::size_t tag = rest().substr(0, end - at_).find("?>");
    if (tag != std::string_view::npos) end = at_ + tag;
  }
  advance(end - at_);
  return spaced_ = true;
}

bool TokenReader::read_name() {
  const char c = peek();
  const bool perl = is(L::perl);
  std::size_t size = 0;
  if (c == '$' && is(L::javascript)) {
    size = 1;
  } else if (((perl || is(L::php) || is(L::ruby)) && c == '$') ||
             ((perl || is(L::ruby)) && c == '@') || (perl && c == '%' && !after_value())) {
    size = 1;
    if (perl && c == '$' && peek(1) == '#' && (peek(2) == '{' || peek(2) == '$')) return false;
    if (begins("@@") || (perl && begins("$#"))) size = 2;
    // $0, $_ and the variables with a mark for a name, some of which is a quote
    const bool special = (perl || is(L::ruby)) && c == '$' && size == 1 &&
                         std::string_view("'\"`/\\,;.&!@$0123456789<>|?~").contains(peek(1)) &&
                         !(peek(1) == '$' && is_identifier_start(peek(2)));
    if (special) {
      add(Kind::name, std::string(rest().substr(0, 2)));
      advance(2);
      return true;
    }
    if (!is_identifier_start(peek(size))) return false;
  } else if (!is_identifier_start(c)) {
    return false;
  }
  const auto belongs = [&](char one) {
    return is_identifier_char(one) || (is(L::javascript) && one == '$') || (is(L::r) && one == '.');
  };
  while (at_ + size < text_.size() && belongs(peek(size))) ++size;
  const std::string name(rest().substr(0, size));
  if (is_identifier_start(c) && (read_prefixed(name) || read_quote_operator(name))) return true;
  add(Kind::name, name);
  advance(size);
  return true;
}

void TokenReader::read_number() {
  std::size_t size = 0;
  const auto belongs = [&] {
    const char c = peek(size);
    if (c == '.') return peek(size + 1) != '.' && !is_identifier_start(peek(size + 1));
    return is_identifier_char(c);
  };
  while (at_ + size < text_.size() && belongs()) ++size;
  add(Kind::number, std::string(rest().substr(0, size)));
  advance(size);
}

void TokenReader::read_mark() {
  std::size_t size = 1;
  for (const std::string_view mark : kProgramMarks) {
    if (begins(mark)) {
      size = mark.size();
      break;
    }
  }
  add(Kind::mark, std::string(rest().substr(0, size)));
  advance(size);
}

ProgramTokens read_program_tokens(std::string_view text, ProgramLanguage language) {
  return TokenReader(text, language).read();
}

}  // namespace talaria::guard
