// Expansions: variables, substitutions, arithmetic.
#include <utility>

#include "policy/guard/syntax/script_reader.h"

namespace talaria::guard {
namespace {

using PartKind = WordPart::Kind;

bool is_special(char c) { return c != '\0' && std::string_view("@*#?-$!").contains(c); }

PartDetail& add_part(ShellWord& word, PartKind kind, bool quoted, std::string text = {}) {
  WordPart& part = word.parts.emplace_back(kind, quoted, std::move(text));
  part.detail = std::make_unique<PartDetail>();
  return *part.detail;
}

}  // namespace

void ScriptReader::read_dollar(ShellWord& word, Quotes quotes) {
  if (++state_.words > kMaxScriptWords) return fail("it has too many words");
  const bool quoted = quotes != Quotes::none;
  const char next = peek(1);
  if (next == '(') {
    if (peek(2) == '(') {
      const Mark start = mark();
      at_ += 3;
      ShellWord expression;
      if (read_arithmetic(expression)) {
        add_part(word, PartKind::arithmetic, quoted).argument = std::move(expression);
        return;
      }
      if (!back_to(start)) return;
    }
    read_command_substitution(word, quoted);
  } else if (next == '{') {
    read_braced(word, quotes);
  } else if (next == '[') {
    read_old_arithmetic(word, quoted);
  } else if (next == '\'' && !quoted) {
    read_c_quoted(word);
  } else if (next == '"' && !quoted) {
    ++at_;
    read_double_quoted(word);
  } else if (is_name_start(next)) {
    std::size_t end = at_ + 2;
    while (end < text_.size() && is_name_char(text_[end])) ++end;
    word.parts.emplace_back(PartKind::variable, quoted,
                            std::string(text_.substr(at_ + 1, end - at_ - 1)));
    at_ = end;
  } else if (is_special(next) || (next >= '0' && next <= '9')) {
    word.parts.emplace_back(PartKind::variable, quoted, std::string(1, next));
    at_ += 2;
  } else {
    add_text(word, "$", quoted);
    ++at_;
  }
}

void ScriptReader::read_braced(ShellWord& word, Quotes quotes) {
  if (!enter()) return;
  at_ += 2;
  PartDetail& detail = add_part(word, PartKind::variable, quotes != Quotes::none);
  const std::size_t part = word.parts.size() - 1;
  const char after = peek(1);
  if (peek() == '#' &&
      (is_name_char(after) || ((after == '@' || after == '*') && peek(2) == '}'))) {
    detail.length = true;
    ++at_;
  } else if (peek() == '!' && (is_name_char(after) || after == '@' || after == '*')) {
    detail.indirect = true;
    ++at_;
  }
  std::size_t end = at_;
  while (end < text_.size() && is_name_char(text_[end])) ++end;
  if (end == at_ && is_special(peek())) ++end;
  if (end == at_) {
    leave();
    return fail("a ${ is not understood");
  }
  word.parts[part].text = text_.substr(at_, end - at_);
  at_ = end;
  if (peek() == '[') {
    ++at_;
    ShellWord index;
    const std::size_t begin = at_;
    read_until(index, ']', Quotes::none);
    if (!failed()) detail.index = text_.substr(begin, at_ - 1 - begin);
    // a substitution in it runs, too
    for (WordPart& inner : index.parts) {
      if (inner.kind != PartKind::text) detail.argument.parts.push_back(std::move(inner));
    }
  }
  read_braced_operation(detail, quotes);
  leave();
}

void ScriptReader::read_braced_operation(PartDetail& detail, Quotes quotes) {
  static constexpr std::string_view kOperations[] = {":-", ":=", ":?", ":+", "-",  "=",  "?",  "+",
                                                     "##", "#",  "%%", "%",  "//", "/#", "/%", "/",
                                                     "^^", "^",  ",,", ",",  "@",  ":",  "*"};
  if (take("}")) return;
  for (const std::string_view operation : kOperations) {
    if (!take(operation)) continue;
    detail.operation = operation;
    const bool words = std::string_view(":-=?+").contains(operation.front()) && operation != ":";
    // between double quotes, ' means itself in a default value, but not in a pattern
    const bool single_quotes = quotes == Quotes::none || !words;
    ShellWord argument;
    read_until(argument, '}', words ? quotes : Quotes::none, single_quotes);
    for (WordPart& part : argument.parts) detail.argument.parts.push_back(std::move(part));
    return;
  }
  fail("a ${ is not understood");
}

void ScriptReader::read_command_substitution(ShellWord& word, bool quoted) {
  at_ += 2;
  std::vector<HereDocument*> outer = std::exchange(documents_, {});
  ShellList list = read_list();
  if (!take(")")) fail("a ) is missing");
  if (!documents_.empty()) fail("a here-document is not closed");
  documents_ = std::move(outer);
  add_part(word, PartKind::command, quoted).list = std::move(list);
}

// The text between backquotes is read once its own escapes are gone.
void ScriptReader::read_backquoted(ShellWord& word, Quotes quotes) {
  if (++state_.words > kMaxScriptWords) return fail("it has too many words");
  ++at_;
  std::string inner;
  std::vector<std::size_t> origins;
  for (;;) {
    if (at_end()) return fail("a ` is never closed");
    if (peek() == '`') break;
    const char next = peek(1);
    const bool escape = peek() == '\\' && (next == '`' || next == '\\' || next == '$' ||
                                           (quotes == Quotes::doubled && next == '"'));
    if (escape) ++at_;
    origins.push_back(origin(at_));
    inner += peek();
    ++at_;
  }
  origins.push_back(origin(at_));
  ++at_;
  if (!enter()) return;
  ShellList list = ScriptReader(inner, state_, 0, origins).read_all();
  leave();
  if (failed()) at_ = text_.size();
  PartDetail& detail = add_part(word, PartKind::command, quotes != Quotes::none);
  detail.list = std::move(list);
  detail.backquotes = true;
}

void ScriptReader::read_process_substitution(ShellWord& word) {
  const bool input = peek() == '<';
  read_command_substitution(word, true);
  WordPart& part = word.parts.back();
  part.kind = PartKind::process;
  part.detail->input = input;
}

// Reads up to "))". False: a single ")" shows that it was a subshell in a subshell.
bool ScriptReader::read_arithmetic(ShellWord& expression) {
  if (!enter()) return false;
  int depth = 0;
  bool is_arithmetic = false;
  expression.begin = origin(at_);
  while (!at_end()) {
    const char c = peek();
    if (c == ')' && depth == 0) {
      is_arithmetic = take("))");
      break;
    }
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == '\\') {
      read_escape(expression, Quotes::doubled);
    } else if (c == '$') {
      read_dollar(expression, Quotes::doubled);
    } else if (c == '`') {
      read_backquoted(expression, Quotes::doubled);
    } else if (c == '"') {
      read_double_quoted(expression);
    } else if (c == '\'') {
      read_single_quoted(expression);
    } else {
      add_text(expression, text_.substr(at_++, 1), true);
    }
  }
  if (at_end() && !is_arithmetic) fail("a )) is missing");
  leave();
  return is_arithmetic;
}

void ScriptReader::read_old_arithmetic(ShellWord& word, bool quoted) {
  if (!enter()) return;
  at_ += 2;
  ShellWord expression;
  read_until(expression, ']', Quotes::doubled);
  add_part(word, PartKind::arithmetic, quoted).argument = std::move(expression);
  leave();
}

}  // namespace talaria::guard
