// TokenReader: goes through the text of a program once. Comments, regular expressions and the ways
// to quote a text differ between languages; a mistake there would hide code in a text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/program/program_tokens.h"

namespace talaria::guard {

class TokenReader {
 public:
  TokenReader(std::string_view text, ProgramLanguage language);

  ProgramTokens read();

 private:
  using Kind = ProgramToken::Kind;

  static char closing_of(char open) {
    const std::size_t which = std::string_view("({[<").find(open);
    return which == std::string_view::npos ? open : std::string_view(")}]>")[which];
  }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  bool is(ProgramLanguage language) const { return language_ == language; }
  std::string_view rest() const { return text_.substr(at_); }
  bool begins(std::string_view start) const { return rest().starts_with(start); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n';
  }
  bool at_line_start() const { return at_ == 0 || text_[at_ - 1] == '\n'; }
  void advance(std::size_t count);
  void skip_past(std::string_view end);
  void add(Kind kind, std::string text);
  void trouble(std::string what);
  bool after_value() const;

  void step();
  bool skip_blank();
  bool skip_comment();
  bool skip_outside_php();
  bool read_name();
  void read_number();
  void read_mark();

  // texts (text_reader.cc)
  struct Quoted {
    std::string text;
    std::vector<std::string> pieces;
  };
  struct QuoteStyle {
    std::string end;          // what closes it
    char open = '\0';         // nests, as in q(a (b))
    bool escapes = true;      // \n; else a backslash only protects the end and itself
    bool raw = false;         // a backslash is nothing special
    std::string_view put_in;  // how a value is put into it: "{", "${", "#{", "$", "$@"
    bool lines = true;        // it may go over several lines
  };
  bool read_literal();
  bool read_prefixed(std::string_view name);
  bool read_long_bracket();
  bool read_character();
  void read_plain_quote();
  Quoted read_until(const QuoteStyle& style);
  void read_escape(const QuoteStyle& style, std::string& text);
  bool read_put_in(const QuoteStyle& style, Quoted& quoted);
  std::string read_balanced(char open, char close);
  void add_quoted(Kind kind, Quoted quoted, std::size_t line);
  std::string_view usual_put_in() const;
  QuoteStyle style_from(char open, bool fills) const;

  // operators that quote, here-documents and regular expressions (quote_operators.cc)
  bool read_quote_operator(std::string_view name);
  bool read_percent();
  bool read_here_document();
  void finish_line();
  bool read_regex();
  void note_code_in_regex(std::string_view regex);
  void add_words(std::string_view words, std::string_view open, std::string_view close);

  struct Pending {  // a here-document whose text begins at the next line
    std::size_t token;
    std::string end;
    bool indented;
    bool fills;
  };

  std::string_view text_;
  ProgramLanguage language_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
  bool spaced_ = true;
  bool in_php_ = true;
  bool has_tags_ = false;  // of PHP
  int open_patterns_ = 0;
  int documents_ = 0;  // here-documents that were looked for
  std::vector<Pending> pending_;
  ProgramTokens found_;
};

}  // namespace talaria::guard
