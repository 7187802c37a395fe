#include "policy/guard/instructions/program_tokens.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "policy/guard/run/seen_command.h"
#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using TokenKind = ProgramToken::Kind;

class TokenReader {
 public:
  TokenReader(std::string_view text, ProgramStyle style) : text_(text), style_(style) {}

  std::vector<ProgramToken> read() {
    while (at_ < text_.size()) step();
    return std::move(tokens_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n';
  }
  void add(TokenKind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }

  void skip_to(std::string_view end) {
    const std::size_t found = std::min(text_.find(end, at_), text_.size());
    line_ += static_cast<std::size_t>(std::ranges::count(text_.substr(at_, found - at_), '\n'));
    at_ = std::min(found + end.size(), text_.size());
  }

  bool begins_comment() const {
    if (style_ == ProgramStyle::braces) return rest().starts_with("//");
    if (style_ == ProgramStyle::python) return peek() == '#';
    const bool behind_blank = at_ == 0 || std::isspace(static_cast<unsigned char>(text_[at_ - 1]));
    // Perl's s#a#b# and Ruby's #{x} are none; Lua has --
    return (peek() == '#' && behind_blank && peek(1) != '{') || rest().starts_with("-- ") ||
           rest().starts_with("--[[");
  }

  void step() {
    const char c = peek();
    if (c == '\n') ++line_;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if (begins_comment()) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (style_ == ProgramStyle::braces && rest().starts_with("/*")) {
      skip_to("*/");
    } else if (c == kUnknownPiece) {
      add(TokenKind::unknown, "");
      ++at_;
    } else if (c == '"' || c == '\'' || c == '`') {
      read_text(false);
    } else if (is_name_start(c)) {
      read_name();
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && (is_name_char(text_[at_]) || text_[at_] == '.')) ++at_;
      add(TokenKind::number, std::string(text_.substr(begin, at_ - begin)));
    } else if (style_ == ProgramStyle::plain_calls && rest().starts_with("%x") &&
               is_opening(peek(2))) {
      at_ += 2;
      read_between(TokenKind::command);
    } else {
      const bool two = rest().starts_with("::") || rest().starts_with("->") ||
                       rest().starts_with("==") || rest().starts_with("=>");
      add(TokenKind::mark, std::string(text_.substr(at_, two ? 2 : 1)));
      at_ += two ? 2 : 1;
    }
  }

  static bool is_opening(char c) { return std::string_view("({[<|/!'\"").contains(c); }

  // q(…), qx{…}: up to the mark that closes it
  void read_between(TokenKind kind) {
    const char open = peek();
    const std::size_t which = std::string_view("({[<").find(open);
    const char close = which == std::string_view::npos ? open : std::string_view(")}]>")[which];
    const std::size_t end = std::min(text_.find(close, at_ + 1), text_.size());
    const std::size_t begin = std::min(at_ + 1, text_.size());
    add(kind, std::string(text_.substr(begin, end - begin)));
    line_ += static_cast<std::size_t>(std::ranges::count(tokens_.back().text, '\n'));
    at_ = std::min(end + 1, text_.size());
  }

  void read_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    std::string name(text_.substr(begin, at_ - begin));
    const bool quote = peek() == '"' || peek() == '\'';
    if (quote && name.size() <= 2 && style_ != ProgramStyle::plain_calls &&
        lower_case(name).find_first_not_of("rbfuL") == std::string::npos) {  // r"…", f"…"
      return read_text(lower_case(name).contains('f'));
    }
    const bool marked = style_ == ProgramStyle::plain_calls && among(name, "q qq qw qx");
    if (marked && is_opening(peek()) && peek() != ',') {
      return read_between(name == "qx" ? TokenKind::command : TokenKind::text);
    }
    add(TokenKind::name, std::move(name));
  }

  // The character a backslash stands for.
  char read_escape() {
    const char c = peek();
    ++at_;
    if (c == 'n') return '\n';
    if (c == 't') return '\t';
    if (c == 'x' || c == 'u') {
      std::size_t count = c == 'x' ? 2 : 4;
      unsigned value = 0;
      for (; count > 0 && std::isxdigit(static_cast<unsigned char>(peek())) != 0; --count, ++at_) {
        const char digit = peek();
        const bool decimal = digit <= '9';
        value =
            value * 16 + static_cast<unsigned>(decimal ? digit - '0' : (digit | 0x20) - 'a' + 10);
      }
      return value < 128 ? static_cast<char>(value) : '?';
    }
    if (c >= '0' && c <= '7') {
      unsigned value = static_cast<unsigned>(c - '0');
      for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i, ++at_) {
        value = value * 8 + static_cast<unsigned>(peek() - '0');
      }
      return value < 128 ? static_cast<char>(value) : '?';
    }
    return c;
  }

  // `filled`: {x} stands for a value.
  void read_text(bool filled) {
    const char quote = peek();
    const std::string three(3, quote);
    const bool triple = quote != '`' && rest().starts_with(three);
    const std::size_t line = line_;
    std::string text;
    at_ += triple ? 3 : 1;
    while (at_ < text_.size()) {
      if (triple ? rest().starts_with(three) : peek() == quote) break;
      if (peek() == '\n') {
        if (!triple && quote != '`' && style_ != ProgramStyle::plain_calls) break;  // no text
        ++line_;
      }
      const bool put_in =
          (filled && peek() == '{') ||
          (quote == '`' && style_ == ProgramStyle::braces && rest().starts_with("${")) ||
          (quote == '"' && rest().starts_with("#{"));
      if (peek() == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        text += read_escape();
      } else if (put_in) {
        text += kUnknownPiece;
        at_ = std::min(text_.find('}', at_), text_.size());
        if (at_ < text_.size()) ++at_;
      } else {
        text += text_[at_++];
      }
    }
    at_ = std::min(at_ + (triple ? 3 : 1), text_.size());
    const bool runs = quote == '`' && style_ == ProgramStyle::plain_calls;
    tokens_.push_back({runs ? TokenKind::command : TokenKind::text, std::move(text), line});
  }

  std::string_view text_;
  ProgramStyle style_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
  std::vector<ProgramToken> tokens_;
};

}  // namespace

ProgramStyle program_style(std::string_view program) {
  while (!program.empty() && std::string_view("0123456789.").contains(program.back())) {
    program.remove_suffix(1);
  }
  if (among(program,
            "perl prove ruby rake rails bundle rspec irb vagrant guard lua luajit php artisan "
            "composer "
            "phpunit Rscript R mruby jruby raku elixir mix julia gnuplot octave m4")) {
    return ProgramStyle::plain_calls;
  }
  const bool braces = among(
      program,
      "node nodejs bun deno npm yarn pnpm npx tsx ts-node jest vitest mocha eslint webpack vite "
      "rollup gulp grunt make gmake cmake meson ninja bazel gcc g++ cc c++ clang clang++ tcc go "
      "rustc cargo java javac groovy "
      "gradle gradlew swift swiftc kotlin kotlinc scala dart zig dotnet qjs");
  return braces ? ProgramStyle::braces : ProgramStyle::python;
}

std::vector<ProgramToken> read_program_tokens(std::string_view text, ProgramStyle style) {
  return TokenReader(text, style).read();
}

}  // namespace talaria::guard
