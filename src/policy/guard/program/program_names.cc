#include "policy/guard/program/program_names.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using L = ProgramLanguage;

constexpr std::size_t kMaxAliases = 1024;
constexpr std::size_t kMaxAliasSteps = 6;
constexpr std::size_t kMaxNameSteps = 300'000;

bool has_blocks(ProgramLanguage language) {
  return language != L::python && language != L::lua && language != L::julia;
}

}  // namespace

std::string module_name(std::string_view text) {
  if (text.starts_with("node:")) text.remove_prefix(5);
  std::string name(text);
  std::ranges::replace(name, '/', '.');
  return name;
}

ProgramNames::ProgramNames(const ProgramCode& code, ProgramLanguage language)
    : code_(code), language_(language) {
  find_statements();
  for (std::size_t i = 0; i < code_.size(); ++i) {
    if (code_.is_name(i)) read_name(i);
    if (code_.is_kind(i, ProgramToken::Kind::mark)) read_mark(i);
  }
  if (!parameters_.empty()) give_arguments();
}

void ProgramNames::find_statements() {
  depths_.assign(code_.size() + 1, 0);
  int depth = 0;
  for (std::size_t i = 0; i < code_.size(); ++i) {
    const bool block = has_blocks(language_) && (code_.is(i, "{") || code_.is(i, "}"));
    const bool pairs = !block && code_.partner(i) < code_.size();
    if (pairs && code_.closes(i)) --depth;
    depths_[i] = depth;
    if (pairs && code_.opens(i)) ++depth;
  }
  starts_.resize(code_.size());
  for (std::size_t i = 0; i < code_.size(); ++i) starts_[i] = starts_statement(i);
  for (std::size_t i = 0; i < code_.size() && language_ == L::javascript; ++i) {
    if (among(code_.word(i), "const let var")) read_declarations(i);
  }
}

// const a = 1, b = 2
void ProgramNames::read_declarations(std::size_t at) {
  for (std::size_t i = at + 2; i < code_.size(); ++i) {
    if (++steps_ > kMaxNameSteps || code_.is(i, ";") || code_.closes(i)) return;
    if (starts_[i] && !code_.is(i - 1, "{")) return;
    if (code_.is(i, ",") && i + 1 < code_.size()) starts_[++i] = true;
    if (code_.opens(i) && code_.partner(i) < code_.size()) i = code_.partner(i);
  }
}

bool ProgramNames::is_keyword(std::string_view name) {
  static const std::unordered_set<std::string_view> words{
      "import",  "from", "require", "__import__", "import_module", "for",
      "foreach", "as",   "def",     "function",   "sub",           "lambda",
      "fn",      "func", "catch",   "use",        "using",         "include"};
  return words.contains(name);
}

void ProgramNames::read_name(std::size_t at) {
  const std::string_view name = code_.word(at);
  const bool method =
      code_.is(at + 1, ".") || (at > 0 && among(code_.word(at - 1), "push unshift"));
  const bool renamed = code_.is(at + 1, "(") && is_alias(code_[at].text);
  if (!is_keyword(name) && !renamed) {
    if (method) read_method(at);
    return;
  }
  if (name == "import") {
    if (language_ == L::javascript) {
      read_script_import(at);
    } else {
      read_import(at);
    }
  } else if (name == "from" && language_ == L::python) {
    read_from_import(at);
  }
  if (code_.is(at + 1, "(") && loads_module(std::string(name))) {
    read_require(at);
  } else if (among(name, "for foreach")) {
    read_loop(at);
  } else if (name == "as") {
    read_opened(at);
  } else if (among(name, "def function sub lambda fn func catch")) {
    read_parameters(at);
  } else if (among(name, "use require using include") && at + 1 < code_.size()) {
    std::size_t next = at + 1;
    modules_.insert(code_.is_text(next) ? module_name(code_[next].text) : code_.dotted(next));
  }
}

bool ProgramNames::loads_module(const std::string& name) const {
  return std::ranges::any_of(resolve(name), [](const std::string& one) {
    return among(one, "require import __import__ import_module importlib.import_module");
  });
}

void ProgramNames::read_mark(std::size_t at) {
  const std::string& mark = code_[at].text;
  if (mark == "=" || (mark == ":=" && language_ == L::c)) {
    read_assignment(at);
  } else if (mark == ":=") {
    if (at > 0 && code_.is_name(at - 1)) {
      bindings_[code_[at - 1].text].values.push_back({at + 1, statement_end(at + 1)});
    }
  } else if (among(mark, "=> | {")) {
    read_parameters(at);
  } else if (mark.size() > 1 && mark.ends_with('=') && !among(mark, "== != <= >= === !==")) {
    read_change(at);
  }
}

// x.append(y), push @x, y
void ProgramNames::read_method(std::size_t at) {
  const bool perl = at > 0 && code_.word(at - 1) == "push";
  const std::string_view method = code_.is(at + 3, "(") ? code_.word(at + 2) : "";
  NameBinding* const known =
      bindings_.contains(code_[at].text) ? &bindings_[code_[at].text] : nullptr;
  if (known == nullptr) return;
  if (perl || among(method, "append extend push add")) known->grows = true;
  if (among(method, "append extend push")) known->grown.push_back(code_.inside(at + 3));
  if (among(method, "insert unshift pop clear reverse sort remove shift splice")) {
    known->otherwise = true;
  }
}

bool ProgramNames::starts_statement(std::size_t at) const {
  if (at == 0) return true;
  const ProgramToken& before = code_[at - 1];
  if (before.is(";") || before.is("{") || before.is("}")) return true;
  if (depths_[at] == 0 && before.line != code_[at].line && !among(before.text, ", = + .")) {
    return true;
  }
  if (depths_[at] == 0 && before.is(":") && language_ == L::python) return true;
  return before.kind == ProgramToken::Kind::name && among(before.text, kDeclarators);
}

std::size_t ProgramNames::statement_end(std::size_t from) const {
  const int depth = from < depths_.size() ? depths_[from] : 0;
  const bool lines = language_ != L::perl && language_ != L::php && language_ != L::c;
  for (std::size_t i = from; i < code_.size(); ++i) {
    if (++steps_ > kMaxNameSteps) return from;
    const ProgramToken& token = code_[i];
    if (token.is("(") || token.is("[") || token.is("{")) {
      if (i > from && token.is("{") && lines && token.line != code_[i - 1].line) return i;
      const std::size_t close = code_.partner(i);
      if (close >= code_.size()) return code_.size();
      i = close;
      continue;
    }
    if (token.is(";") || token.is(")") || token.is("]") || token.is("}")) return i;
    if (depth > 0 && token.is(",")) return i;
    if (language_ == L::javascript && token.is(",")) return i;
    const bool new_line = i > from && token.line != code_[i - 1].line;
    if (!lines || !new_line) continue;
    const bool goes_on = among(token.text, ". + ? : || && ?? .. <>") ||
                         among(code_[i - 1].text, "+ = , . || && ( ? : ..");
    if (!goes_on) return i;
  }
  return code_.size();
}

void ProgramNames::add_alias(const std::string& name, const std::string& target) {
  if (name.empty() || target.empty() || name == target || aliases_.size() >= kMaxAliases) return;
  aliases_.emplace(name, target);
}

// import a.b as c, d
void ProgramNames::read_import(std::size_t at) {
  const std::size_t line = code_[at].line;
  ++at;
  while (code_.is_name(at) && code_[at].line == line) {
    const std::string module = code_.dotted(at);
    modules_.insert(module.substr(0, module.find('.')));
    if (code_.word(at) == "as" && code_.is_name(at + 1)) {
      add_alias(code_[at + 1].text, module);
      at += 2;
    }
    if (!code_.is(at, ",")) break;
    ++at;
  }
}

// from a.b import c as d, e
void ProgramNames::read_from_import(std::size_t at) {
  ++at;
  const std::string module = code_.dotted(at);
  if (module.empty() || code_.word(at) != "import") return;
  modules_.insert(module.substr(0, module.find('.')));
  ++at;
  if (code_.is(at, "(")) ++at;
  if (code_.is(at, "*")) star_modules_.push_back(module);
  while (code_.is_name(at)) {
    const std::string name = code_[at].text;
    ++at;
    if (code_.word(at) == "as" && code_.is_name(at + 1)) {
      add_alias(code_[at + 1].text, module + "." + name);
      at += 2;
    } else {
      add_alias(name, module + "." + name);
    }
    if (!code_.is(at, ",")) break;
    ++at;
  }
}

// import a, {b as c} from 'm'; import * as d from 'm'
void ProgramNames::read_script_import(std::size_t at) {
  std::size_t end = at + 1;
  while (end < code_.size() && end < at + kMaxLeft && code_[end].kind != ProgramToken::Kind::text &&
         !code_.is(end, ";") && !code_.is(end, "(")) {
    ++end;
  }
  if (end >= code_.size() || code_[end].kind != ProgramToken::Kind::text) return;
  const std::string module = module_name(code_[end].text);
  modules_.insert(module);
  for (std::size_t i = at + 1; i < end; ++i) {
    if (code_.is(i, "{")) {
      read_destructured(i, code_.partner(i), module);
      i = code_.partner(i);
    } else if (code_.is_name(i) && !among(code_.word(i), "from as type")) {
      add_alias(code_[i].text, module);
    }
  }
}

// const a = require('m').b; const {c: d} = await import('m'); a = __import__("m")
void ProgramNames::read_require(std::size_t at) {
  std::size_t behind = code_.partner(at + 1);
  if (behind != at + 3 || code_[at + 2].kind != ProgramToken::Kind::text) return;
  std::string module = module_name(code_[at + 2].text);
  modules_.insert(module);
  ++behind;
  while (code_.is(behind, ".") && code_.is_name(behind + 1)) {
    if (code_.is(behind + 2, "(")) {  // it is called at once, or .then(({a}) => …)
      if (code_.word(behind + 1) != "then") return;
      std::size_t given = behind + 3;
      while (code_.is(given, "(")) ++given;
      if (code_.is_name(given)) add_alias(code_[given].text, module);
      if (code_.is(given, "{")) read_destructured(given, code_.partner(given), module);
      return;
    }
    module += "." + code_[behind + 1].text;
    behind += 2;
  }
  if (before_promisify(at)) at -= 2;
  std::size_t before = at;
  while (before >= 2 && code_.is(before - 1, ".") && code_.is_name(before - 2))
    before -= 2;  // importlib.
  if (before >= 1 && (code_.is(before - 1, "(") || code_.word(before - 1) == "await")) --before;
  if (before >= 1 && code_.word(before - 1) == "await") --before;
  if (before < 2 || !code_.is(before - 1, "=")) return;
  if (code_.is_name(before - 2)) {
    add_alias(code_[before - 2].text, module);
  } else if (code_.is(before - 2, "}") && code_.partner(before - 2) < before) {
    read_destructured(code_.partner(before - 2), before - 2, module);
  }
}

// promisify(require('m').a)
bool ProgramNames::before_promisify(std::size_t at) const {
  return at >= 2 && code_.is(at - 1, "(") && code_.word(at - 2) == "promisify";
}

// {a, b: c, d as e}
void ProgramNames::read_destructured(std::size_t open, std::size_t close,
                                     const std::string& module) {
  for (std::size_t i = open + 1; i < close; ++i) {
    if (!code_.is_name(i)) continue;
    const std::string& name = code_[i].text;
    const bool renamed =
        (code_.is(i + 1, ":") || code_.word(i + 1) == "as") && code_.is_name(i + 2);
    add_alias(renamed ? code_[i + 2].text : name, module + "." + name);
    if (renamed) i += 2;
  }
}

void ProgramNames::bind_otherwise(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < std::min({end, code_.size(), begin + kMaxParameters}); ++i) {
    if (code_.is_name(i)) bindings_[code_[i].text].otherwise = true;
  }
}

void ProgramNames::read_assignment(std::size_t at) {
  if (at == 0) return;
  if (language_ == L::javascript && code_.is(at - 1, "}")) {  // const {a: b} = fs
    std::size_t end = at + 1;
    const std::string module = code_.dotted(end);
    if (!code_.is(end, "(")) read_destructured(code_.partner(at - 1), at - 1, module);
  }
  const bool keyword = depths_[at] > 0 && (language_ == L::python || language_ == L::r ||
                                           language_ == L::julia || language_ == L::lua);
  if (keyword) return;
  std::size_t begin = at - 1;
  while (begin > 0 && at - begin < kMaxLeft && !starts_[begin]) --begin;
  const bool typed = code_.is_name(begin) && (code_.is(begin + 1, ":") || begin + 1 == at);
  if (!typed) {
    // x.y = z changes no name, but every .y may be z; x[0] = z changes what is in it
    const bool attribute = code_.is_name(begin) && code_.is(begin + 1, ".");
    if (attribute && code_.is_name(at - 1)) {
      bindings_["." + code_[at - 1].text].values.push_back({at + 1, statement_end(at + 1)});
    }
    if (!attribute && !read_tuple(begin, at)) bind_otherwise(begin, at);
    return;
  }
  const TokenRange value{at + 1, statement_end(at + 1)};
  bindings_[code_[begin].text].values.push_back(value);
  read_alias_of(code_[begin].text, value);
}

// a, b = c, d; [a, b] = c; my ($a, $b) = @c
bool ProgramNames::read_tuple(std::size_t begin, std::size_t at) {
  const bool bracket = (code_.is(begin, "[") || code_.is(begin, "(")) && code_.opens(begin) &&
                       code_.partner(begin) + 1 == at;
  const bool list = (language_ == L::python || language_ == L::ruby) && code_.is(begin + 1, ",");
  if (!bracket && !list) return false;
  const std::vector<TokenRange> names =
      code_.split(bracket ? code_.inside(begin) : TokenRange{begin, at});
  const TokenRange value{at + 1, statement_end(at + 1)};
  const bool whole = code_.opens(value.begin) && code_.partner(value.begin) + 1 == value.end;
  const std::vector<TokenRange> values = code_.split(whole ? code_.inside(value.begin) : value);
  const auto single = [&](TokenRange name) {
    return name.size() == 0 || (name.size() == 1 && code_.is_name(name.begin));
  };
  if (!std::ranges::all_of(names, single)) return false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].size() == 0) continue;
    const std::string& name = code_[names[i].begin].text;
    if (names.size() != values.size() || (names.size() == 1 && !whole)) {
      bindings_[name].pieces.emplace_back(value, i);
      continue;
    }
    bindings_[name].values.push_back(values[i]);
    read_alias_of(name, values[i]);
  }
  return true;
}

// s = os.system, s = promisify(fs.rm)
void ProgramNames::read_alias_of(const std::string& name, TokenRange value) {
  std::size_t at = value.begin;
  while (at < value.end && at < value.begin + 4 && code_.word(at) != "promisify") ++at;
  const bool wrapped = code_.word(at) == "promisify" && code_.is(at + 1, "(");
  if (wrapped) {
    at += 2;
    value.end = std::min(value.end, code_.partner(at - 1));
  } else {
    at = value.begin;
  }
  const std::string target = code_.dotted(at, value.end);
  if (at == value.end &&
      !among(target, "None True False null undefined true false nil self this")) {
    add_alias(name, target);
  }
}

// x += y
void ProgramNames::read_change(std::size_t at) {
  if (at == 0 || !code_.is_name(at - 1)) return;
  NameBinding& binding = bindings_[code_[at - 1].text];
  (code_[at].is("+=") ? binding.grows : binding.otherwise) = true;
  binding.grown.push_back({at + 1, statement_end(at + 1)});
}

std::vector<std::string> ProgramNames::resolve(const std::string& dotted) const {
  std::vector<std::string> all{dotted};
  for (std::size_t i = 0; i < all.size() && i < kMaxAliasSteps; ++i) {
    const std::string one = all[i];
    const std::size_t dot = std::min(one.find('.'), one.size());
    const auto [first, last] = aliases_.equal_range(one.substr(0, dot));
    for (auto alias = first; alias != last && all.size() < 2 * kMaxAliasSteps; ++alias) {
      std::string target = alias->second + one.substr(dot);
      if (std::ranges::find(all, target) == all.end()) all.push_back(std::move(target));
    }
    if (one.starts_with("posix.")) all.push_back("os." + one.substr(6));  // what os is made of
    if (i == 0 && dot == one.size()) {
      for (const std::string& module : star_modules_) all.push_back(module + "." + one);
    }
  }
  return all;
}

const NameBinding* ProgramNames::find(const std::string& name) const {
  const auto found = bindings_.find(name);
  return found == bindings_.end() ? nullptr : &found->second;
}

}  // namespace talaria::guard
