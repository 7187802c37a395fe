// Texts of programs that begin with an operator, here-documents, and regular expressions.
#include <algorithm>
#include <utility>

#include "policy/guard/program/risky_words.h"
#include "policy/guard/program/token_reader.h"
#include "policy/guard/run/seen_command.h"
#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxRegex = 1024;  // bytes of one, and of a line that is looked at for one
constexpr int kMaxDocuments = 64;
constexpr int kMaxOpenPatterns = 64;  // that have no end on their line

}  // namespace

// q(…), qw(…), m/…/, s/…/…/ of Perl.
bool TokenReader::read_quote_operator(std::string_view name) {
  if (!is(ProgramLanguage::perl) || !among(name, "q qq qw qx m qr s tr y")) return false;
  if (!found_.tokens.empty()) {
    const ProgramToken& last = found_.tokens.back();
    if (among(last.text, "-> :: sub") || (last.is("{") && peek(name.size()) == '}')) return false;
  }
  std::size_t blanks = name.size();
  while (at_ + blanks < text_.size() && is_space(peek(blanks))) ++blanks;
  const char open = peek(blanks);
  const bool adjacent = blanks == name.size();
  if (at_ + blanks >= text_.size() || is_name_char(open) || is_space(open)) return false;
  if (std::string_view(",;)").contains(open) || (open == '#' && !adjacent)) return false;
  if (open == '=' && (!adjacent || std::string_view("=~>").contains(peek(blanks + 1))))
    return false;
  const std::size_t line = line_;
  advance(blanks + 1);
  const bool fills = open != '\'' && !among(name, "q qw tr y");
  QuoteStyle style = style_from(open, fills);
  if (among(name, "m qr s tr y")) style.escapes = false;
  Quoted first = read_until(style);
  if (among(name, "m qr s")) note_code_in_regex(first.text);
  if (among(name, "s tr y")) {
    if (style.open != '\0') {
      while (at_ < text_.size() && is_space(peek())) advance(1);
      style = style_from(peek(), fills);
      advance(1);
    }
    style.escapes = false;
    const std::size_t begin = at_;
    Quoted second = read_until(style);
    const std::string code(text_.substr(begin, std::max(at_, begin + 1) - begin - 1));
    std::string flags;
    while (is_letter(peek())) {
      flags += peek();
      advance(1);
    }
    if (name == "s" && flags.contains('e')) second.pieces = {code};
    add_quoted(Kind::text, std::move(second), line);
    if (name == "s" && flags.contains("ee")) {  // what it makes is evaluated
      add(Kind::mark, ";");
      add(Kind::name, "eval");
      add(Kind::name, "$_");
      add(Kind::mark, ";");
    }
    return true;
  }
  if (name == "qw") {
    add_words(first.text, "(", ")");
  } else {
    add_quoted(name == "qx" ? Kind::command : Kind::text, std::move(first), line);
  }
  if (among(name, "m qr")) {
    while (is_letter(peek())) advance(1);
  }
  return true;
}

// %w[…], %x(…), %q{…} of Ruby.
bool TokenReader::read_percent() {
  if (!is(ProgramLanguage::ruby) || peek() != '%') return false;
  const bool letter = std::string_view("wWiIqQxrs").contains(peek(1));
  const char open = peek(letter ? 2 : 1);
  if (!std::string_view("([{<|!/").contains(open)) return false;
  if (after_value() && !(spaced_ && letter)) return false;
  const char kind = letter ? peek(1) : 'Q';
  const std::size_t line = line_;
  advance(letter ? 3 : 2);
  Quoted quoted = read_until(style_from(open, !std::string_view("wiq").contains(kind)));
  if (std::string_view("wWiI").contains(kind)) {
    add_words(quoted.text, "[", "]");
  } else {
    add_quoted(kind == 'x' ? Kind::command : Kind::text, std::move(quoted), line);
  }
  return true;
}

void TokenReader::add_words(std::string_view words, std::string_view open, std::string_view close) {
  add(Kind::mark, std::string(open));
  while (!words.empty()) {
    const std::size_t end = std::min(words.find_first_of(" \t\n"), words.size());
    if (end > 0) {
      add(Kind::text, std::string(words.substr(0, end)));
      add(Kind::mark, ",");
    }
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  add(Kind::mark, std::string(close));
}

// <<EOF of Perl and Ruby, <<<EOF of PHP: its text begins at the next line.
bool TokenReader::read_here_document() {
  const bool php = is(ProgramLanguage::php);
  if (!(php || is(ProgramLanguage::perl) || is(ProgramLanguage::ruby)) ||
      !begins(php ? "<<<" : "<<"))
    return false;
  std::size_t at = php ? 3 : 2;
  const bool indented = php || peek(at) == '~' || peek(at) == '-';
  if (!php && indented) ++at;
  while (php && peek(at) == ' ') ++at;
  const char quote = std::string_view("'\"`").contains(peek(at)) ? peek(at) : '\0';
  if (quote != '\0') ++at;
  const std::size_t begin = at;
  while (is_name_char(peek(at)) || (quote != '\0' && peek(at) != quote && peek(at) != '\n')) ++at;
  const std::string end(rest().substr(std::min(begin, rest().size()), at - begin));
  if (++documents_ > kMaxDocuments) {
    trouble("it has too many here-documents");
    return false;
  }
  if (end.empty() || (end.front() >= '0' && end.front() <= '9')) return false;
  if (quote == '\0' && !text_.substr(at_).contains("\n" + std::string(indented ? "" : end))) {
    return false;
  }
  if (quote == '\0' && is(ProgramLanguage::ruby) &&
      text_.find(end, at_ + at) == std::string_view::npos) {
    return false;  // a << b
  }
  pending_.push_back({found_.tokens.size(), end, indented, quote != '\''});
  add(quote == '`' ? Kind::command : Kind::text, "");
  advance(at + (quote != '\0' ? 1 : 0));
  return true;
}

void TokenReader::finish_line() {
  for (const Pending& one : std::exchange(pending_, {})) {
    std::string body;
    bool ended = false;
    while (at_ < text_.size() && !ended) {
      const std::string_view line = rest().substr(0, rest().find('\n'));
      std::string_view mark = line;
      if (one.indented) mark = trim(mark);
      if (mark.ends_with('\r')) mark.remove_suffix(1);
      ended = mark == one.end || (is(ProgramLanguage::php) && mark.starts_with(one.end) &&
                                  !is_name_char(mark[one.end.size()]));
      if (ended && mark.size() > one.end.size()) {  // PHP: code may follow
        advance(static_cast<std::size_t>(line.find(one.end)) + one.end.size());
        break;
      }
      if (!ended) body.append(line).append("\n");
      advance(line.size() + 1);
    }
    if (!ended) trouble("a here-document has no end");
    ProgramToken& token = found_.tokens[one.token];
    if (!one.fills) {
      token.text = std::move(body);
      continue;
    }
    TokenReader inside(body, language_);
    Quoted quoted =
        inside.read_until({.end = std::string(1, kUnknownPiece), .put_in = usual_put_in()});
    token.text = std::move(quoted.text);
    token.pieces = std::move(quoted.pieces);
  }
}

bool TokenReader::read_regex() {
  const bool may =
      is(ProgramLanguage::javascript) || is(ProgramLanguage::perl) || is(ProgramLanguage::ruby);
  if (!may || peek() != '/' || peek(1) == '=' || open_patterns_ > kMaxOpenPatterns) return false;
  std::string_view line = rest().substr(0, kMaxRegex);
  line = line.substr(0, line.find('\n'));
  std::size_t end = 1;
  bool group = false;
  for (; end < line.size() && (line[end] != '/' || group); ++end) {
    if (line[end] == '\\') ++end;
    if (end < line.size() && line[end] == '[') group = true;
    if (end < line.size() && line[end] == ']') group = false;
  }
  const bool bare = !found_.tokens.empty() && found_.tokens.back().kind == Kind::name &&
                    is_letter(found_.tokens.back().text.front());
  const bool begins_argument =
      spaced_ && !is_space(peek(1)) && bare && !is(ProgramLanguage::javascript);
  if (after_value() && !begins_argument) {
    // Whether it divides is not certain behind a bracket: code must not hide in a text that is
    // none.
    const bool certain = found_.tokens.back().kind == Kind::number || end >= line.size();
    const std::string_view between = line.substr(0, std::min(end, line.size()));
    if (!certain && between.find_first_of("'\"`") != std::string_view::npos) {
      trouble("a slash may begin a pattern");
    }
    return false;
  }
  if (end >= line.size()) {
    if (++open_patterns_ > kMaxOpenPatterns) trouble("it has too many patterns without an end");
    if (is(ProgramLanguage::javascript) || open_patterns_ > kMaxOpenPatterns) return false;
    end = 1;  // over several lines
  }
  const std::size_t first = line_;
  advance(1);
  Quoted quoted;
  if (end > 1) {
    quoted.text = std::string(rest().substr(0, end - 1));
    advance(end);
  } else {
    quoted = read_until({.end = "/", .escapes = false});
  }
  note_code_in_regex(quoted.text);
  while (is_letter(peek())) advance(1);
  add_quoted(Kind::text, std::move(quoted), first);
  return true;
}

// (?{ code }) runs; and what looks like a call may be one, if this was no pattern at all.
void TokenReader::note_code_in_regex(std::string_view regex) {
  if (regex.contains("(?{") || regex.contains("(??{") || regex.contains("@{[")) {
    trouble("a pattern has code in it");
  }
  if (has_risky_call(regex)) trouble("a pattern looks like code");
}

}  // namespace talaria::guard
