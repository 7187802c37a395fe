// Of ProgramNames: names of loops, of `with` and of parameters.
#include <algorithm>

#include "policy/guard/program/program_names.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using L = ProgramLanguage;

}  // namespace

// for x in y, for (const x of y), foreach my $x (y)
void ProgramNames::read_loop(std::size_t at) {
  if (at + 1 >= code_.size()) return;
  std::size_t i = at + 1;
  const bool bracket = code_.is(i, "(");
  if (bracket) ++i;
  while (among(code_.word(i), kDeclarators)) ++i;
  if (language_ == L::perl && read_perl_loop(at, i)) return;
  if (language_ == L::php && bracket && read_php_loop(at + 1)) return;
  std::size_t in = i;
  while (in < code_.size() && in < i + kMaxLeft && !among(code_.word(in), "in of") &&
         !code_.is(in, ";")) {
    ++in;
  }
  if (!among(code_.word(in), "in of")) return bind_otherwise(i, i + 1);
  std::size_t end = in + 1;
  while (end < code_.size() && !code_.is(end, ":") && !code_.is(end, "{") && !code_.is(end, "]") &&
         !code_.is(end, ")") && !code_.is(end, "}") && !among(code_.word(end), "do if for") &&
         code_[end].line == code_[in].line) {
    const bool opens = code_.is(end, "(") || code_.is(end, "[");
    end = opens && code_.partner(end) < code_.size() ? code_.partner(end) + 1 : end + 1;
  }
  const TokenRange value{in + 1, end};
  if (in == i + 1 && code_.is_name(i)) {
    bindings_[code_[i].text].loops.push_back(value);
    return;
  }
  const bool whole = code_.opens(i) && code_.partner(i) + 1 == in;  // for (const [a, b] of …)
  const std::vector<TokenRange> names =
      code_.split(whole && !code_.is(i, "{") ? code_.inside(i) : TokenRange{i, in});
  for (std::size_t n = 0; n < names.size(); ++n) {
    const bool plain = names[n].size() == 1 && !code_.is(i, "{");
    if (plain) bindings_[code_[names[n].begin].text].parts.emplace_back(value, n);
    if (!plain) bind_otherwise(names[n].begin, names[n].end);
  }
}

// for my $x (y) {…}, for (y) {…}, … for y
bool ProgramNames::read_perl_loop(std::size_t at, std::size_t name) {
  const bool named = code_.is_name(name) && code_[name].text.starts_with('$');
  const std::size_t open = named ? name + 1 : at + 1;
  TokenRange value{open, statement_end(open)};
  if (code_.is(open, "(") && code_.partner(open) < code_.size()) {
    value = {open, code_.partner(open) + 1};
  }
  const bool closed = code_.partner(open) < code_.size();
  if (closed && code_.split(code_.inside(open), ";").size() > 1) return false;  // for (…; …; …)
  NameBinding& binding = bindings_[named ? code_[name].text : "$_"];
  binding.otherwise = true;
  binding.given.emplace_back(value, true);
  return true;
}

// foreach (y as $x), foreach (y as $k => $x)
bool ProgramNames::read_php_loop(std::size_t open) {
  const TokenRange inside = code_.inside(open);
  std::size_t as = inside.begin;
  const std::size_t last = std::min(inside.end, inside.begin + kMaxParameters);
  while (as < last && code_.word(as) != "as") ++as;
  if (as >= last || !code_.is_name(inside.end - 1)) return false;
  NameBinding& binding = bindings_[code_[inside.end - 1].text];
  binding.otherwise = true;
  binding.given.emplace_back(TokenRange{inside.begin, as}, true);
  return true;
}

// y.each { |x| …}, y.forEach(x => …)
void ProgramNames::give_items(std::size_t name, std::size_t dot) {
  if (!code_.is_name(name) || !code_.is_dot(dot)) return;
  if (!among(code_.word(dot + 1), "each each_with_index map forEach filter select flatMap")) return;
  std::size_t begin = dot;
  for (std::size_t steps = 0; begin > 0 && steps < kMaxLeft; ++steps) {
    if (code_.closes(begin - 1) && code_.partner(begin - 1) < begin - 1) {
      begin = code_.partner(begin - 1);
      if (begin > 0 && code_.is_name(begin - 1)) --begin;
    } else if (code_.is_name(begin - 1) || code_.is_text(begin - 1)) {
      --begin;
    }
    if (begin < 2 || !code_.is_dot(begin - 1)) break;
    --begin;
  }
  bindings_[code_[name].text].given.emplace_back(TokenRange{begin, dot}, true);
}

void ProgramNames::note_parameters(const std::string& function, TokenRange range) {
  std::vector<std::string>& parameters = parameters_[function];
  for (TokenRange part : code_.split(range)) {
    while (part.size() > 1 && language_ == L::php && !code_[part.begin].text.starts_with('$')) {
      ++part.begin;
    }
    parameters.emplace_back(code_.word(part.begin));
  }
}

// f(a, b) of def f(x, y)
void ProgramNames::give_arguments() {
  constexpr std::size_t kMostGiven = 24;
  for (std::size_t at = 0; at + 1 < code_.size(); ++at) {
    if (!code_.is_name(at) || !code_.is(at + 1, "(") || code_.partner(at + 1) >= code_.size()) {
      continue;
    }
    const auto found = parameters_.find(code_[at].text);
    if (found == parameters_.end() || (at > 0 && code_.is_dot(at - 1))) continue;
    if (at > 0 && among(code_.word(at - 1), "def function sub fn func")) continue;
    std::size_t place = 0;
    for (const TokenRange& part : code_.split(code_.inside(at + 1))) {
      const bool named = code_.is_name(part.begin) && code_.is(part.begin + 1, "=");
      const std::string& parameter = named                          ? code_[part.begin].text
                                     : place < found->second.size() ? found->second[place]
                                                                    : std::string();
      ++place;
      const auto binding = bindings_.find(parameter);
      if (binding == bindings_.end() || binding->second.given.size() >= kMostGiven) continue;
      binding->second.given.emplace_back(TokenRange{part.begin + (named ? 2 : 0), part.end}, false);
    }
  }
}

// with x as y
void ProgramNames::read_opened(std::size_t at) {
  if (language_ == L::php) return;
  if (!code_.is_name(at + 1) || at == 0) return;
  std::size_t begin = at;
  while (begin > 0 && at - begin < kMaxLeft &&
         !among(code_.word(begin - 1), "with import except") &&
         code_[begin - 1].line == code_[at].line &&
         !(code_.is(begin - 1, ",") && depths_[begin - 1] == depths_[at])) {
    --begin;
  }
  if (begin > 0 && among(code_.word(begin - 1), "import except")) return;
  bindings_[code_[at + 1].text].opened.push_back({begin, at});
}

// The names of parameters: def f(x), x => …, |x|, f(x) {
void ProgramNames::read_parameters(std::size_t at) {
  const ProgramToken& token = code_[at];
  if (token.is("=>")) {
    if (at == 0) return;
    const bool bracket = code_.is(at - 1, ")");
    const std::size_t begin = bracket ? code_.partner(at - 1) : at - 1;
    if (bracket || language_ == L::javascript) bind_otherwise(begin, at);
    if (begin > 3 && code_.is(begin - 1, "(")) give_items(begin + (bracket ? 1 : 0), begin - 3);
    const bool named = begin > 1 && code_.is(begin - 1, "=") && code_.is_name(begin - 2);
    if (named)
      note_parameters(code_[begin - 2].text, bracket ? code_.inside(begin) : TokenRange{begin, at});
  } else if (token.is("|")) {
    if (language_ != L::ruby || at == 0 || !(code_.is(at - 1, "{") || code_.word(at - 1) == "do"))
      return;
    std::size_t end = at + 1;
    while (end < code_.size() && !code_.is(end, "|")) ++end;
    bind_otherwise(at + 1, end);
    if (at > 3) give_items(at + 1, at - 3);
  } else if (token.is("{")) {  // a function; if (x) { is none
    if (at == 0 || !code_.is(at - 1, ")")) return;
    const std::size_t open = code_.partner(at - 1);
    const bool names =
        open > 0 && open < at && code_.is_name(open - 1) && code_.word(open - 1)[0] != '$' &&
        !among(code_.word(open - 1), "if for foreach while switch elseif elsif unless");
    if (names) bind_otherwise(open, at);
    if (names) functions_.insert(code_[open - 1].text);
  } else if (token.text == "lambda") {
    std::size_t end = at + 1;
    while (end < code_.size() && end < at + kMaxLeft && !code_.is(end, ":")) ++end;
    bind_otherwise(at + 1, end);
  } else {
    if (code_.is_name(at + 1)) functions_.insert(code_[at + 1].text);
    std::size_t open = at + 1;
    while (open < code_.size() && open < at + 6 && !code_.is(open, "(")) ++open;
    if (!code_.is(open, "(")) return;
    bind_otherwise(open, code_.partner(open));
    if (code_.is_name(at + 1) && code_.partner(open) < code_.size())
      note_parameters(code_[at + 1].text, code_.inside(open));
  }
}

}  // namespace talaria::guard
