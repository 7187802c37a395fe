// ProgramCode: the tokens of a program or of a part of one, and which brackets belong together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/guard/program/program_tokens.h"

namespace talaria::guard {

// Words that are no functions, though a bracket may follow: "in (a / b).iterdir()".
inline constexpr std::string_view kWordsBeforeBrackets =
    "in of return and or not if elif elsif else while for foreach await yield assert del is new "
    "typeof case when unless until then do with from switch catch except function def lambda fn";

struct TokenRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
};

class ProgramCode {
 public:
  explicit ProgramCode(std::vector<ProgramToken> tokens);

  std::size_t size() const { return tokens_.size(); }
  const ProgramToken& operator[](std::size_t at) const { return tokens_[at]; }
  const std::vector<ProgramToken>& tokens() const { return tokens_; }

  bool is(std::size_t at, std::string_view mark) const {
    return at < tokens_.size() && tokens_[at].is(mark);
  }
  bool is_kind(std::size_t at, ProgramToken::Kind kind) const {
    return at < tokens_.size() && tokens_[at].kind == kind;
  }
  bool is_name(std::size_t at) const { return is_kind(at, ProgramToken::Kind::name); }
  bool is_text(std::size_t at) const { return is_kind(at, ProgramToken::Kind::text); }
  // Of a name; of everything else: empty.
  std::string_view word(std::size_t at) const {
    return is_name(at) ? std::string_view(tokens_[at].text) : std::string_view();
  }
  // . :: -> ?.
  bool is_dot(std::size_t at) const {
    return is(at, ".") || is(at, "::") || is(at, "->") || is(at, "?.");
  }
  bool opens(std::size_t at) const { return is(at, "(") || is(at, "[") || is(at, "{"); }
  bool closes(std::size_t at) const { return is(at, ")") || is(at, "]") || is(at, "}"); }

  // The bracket that belongs to the one at `at`; the number of tokens: there is none.
  std::size_t partner(std::size_t at) const {
    return at < partners_.size() ? partners_[at] : tokens_.size();
  }
  // What is between the bracket at `open` and the one that closes it.
  TokenRange inside(std::size_t open) const {
    return {open + 1, std::max(open + 1, std::min(partner(open), size()))};
  }
  // The bracket that is open at `at`; the first token, or one far away: none was found.
  std::size_t enclosing(std::size_t at) const;
  // The parts between commas, which are not in brackets.
  std::vector<TokenRange> split(TokenRange range, std::string_view mark = ",") const;
  // a.b.c, which ends before `end`: `at` is behind it afterwards.
  std::string dotted(std::size_t& at, std::size_t end = std::string::npos) const;

 private:
  std::vector<ProgramToken> tokens_;
  std::vector<std::size_t> partners_;
};

}  // namespace talaria::guard
