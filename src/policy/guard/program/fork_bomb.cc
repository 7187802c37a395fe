#include "policy/guard/program/fork_bomb.h"

#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

// 1, True, (;;)
bool is_endless(const ProgramCode& code, TokenRange condition) {
  for (std::size_t i = condition.begin; i < condition.end; ++i) {
    if (code.is_text(i) || !among(code[i].text, "1 True true ;")) return false;
  }
  return condition.size() > 0;
}

// The condition that begins there, in brackets or not.
TokenRange condition_at(const ProgramCode& code, std::size_t at) {
  if (code.is(at, "(")) return code.inside(at);
  return {std::min(at, code.size()), std::min(at + 1, code.size())};
}

// fork while 1, fork() while fork
bool repeats(const ProgramCode& code, std::size_t after) {
  if (code.is(after, "(") && code.partner(after) < code.size()) after = code.partner(after) + 1;
  if (code.word(after) != "while") return false;
  const TokenRange condition = condition_at(code, after + 1);
  return is_endless(code, condition) || code.word(condition.begin) == "fork";
}

}  // namespace

bool forks_forever(const ProgramCode& code, TokenRange call) {
  if (repeats(code, call.end)) return true;
  std::size_t at = call.begin;  // behind what leads to the call
  if (at > 0 && (code.is(at - 1, "{") || code.is(at - 1, ":") || code.word(at - 1) == "do")) --at;
  if (at == 0) return false;
  if (code.word(at - 1) == "loop") return true;
  const bool closed = code.is(at - 1, ")") && code.partner(at - 1) < at;
  const std::size_t header = closed ? code.partner(at - 1) : at - 1;
  return header > 0 && among(code.word(header - 1), "while for") &&
         is_endless(code, condition_at(code, header));
}

}  // namespace talaria::guard
