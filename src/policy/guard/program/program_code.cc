#include "policy/guard/program/program_code.h"

namespace talaria::guard {

ProgramCode::ProgramCode(std::vector<ProgramToken> tokens)
    : tokens_(std::move(tokens)), partners_(tokens_.size(), tokens_.size()) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (opens(i)) {
      open.push_back(i);
    } else if (closes(i) && !open.empty()) {
      partners_[open.back()] = i;
      partners_[i] = open.back();
      open.pop_back();
    }
  }
}

std::size_t ProgramCode::enclosing(std::size_t at) const {
  constexpr std::size_t kMost = 512;
  for (std::size_t steps = 0; at > 0 && steps < kMost; ++steps) {
    --at;
    if (closes(at) && partner(at) < at) {
      at = partner(at);
    } else if (opens(at)) {
      break;
    }
  }
  return at;
}

std::vector<TokenRange> ProgramCode::split(TokenRange range, std::string_view mark) const {
  std::vector<TokenRange> parts;
  std::size_t begin = range.begin;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (opens(i) && partner(i) < range.end) {
      i = partner(i);
    } else if (is(i, mark)) {
      parts.push_back({begin, i});
      begin = i + 1;
    }
  }
  if (begin < range.end) parts.push_back({begin, range.end});
  return parts;
}

std::string ProgramCode::dotted(std::size_t& at, std::size_t end) const {
  std::string name;
  while (at < end && is_name(at)) {
    if (!name.empty()) name += '.';
    name += tokens_[at].text;
    ++at;
    if (at + 1 >= end || !is_dot(at) || !is_name(at + 1)) break;
    ++at;
  }
  return name;
}

}  // namespace talaria::guard
