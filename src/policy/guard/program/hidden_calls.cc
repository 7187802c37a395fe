// Of ProgramReader: ways to call a function without its name, or to give it to somebody who does.
#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "policy/guard/program/fork_bomb.h"
#include "policy/guard/program/program_reader.h"
#include "policy/guard/program/risky_words.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using L = ProgramLanguage;
using A = ProgramAct;
using S = CallShape;

constexpr std::size_t kMaxLookedBack = 512;  // tokens that are looked at before a name

// Those whose functions are chosen by name only by someone who hides them.
constexpr std::string_view kPowerfulModules =
    "os subprocess shutil sys builtins child_process fs pty posix socket ctypes importlib "
    "process globalThis global window Kernel FileUtils shelljs __builtins__";

constexpr std::string_view kDecoders =
    "b64decode b32decode a85decode decompress fromhex unhexlify urlopen recv get decode";

}  // namespace

// In Python wherever it is no statement of its own, import or plain alias: key=os.system,
// @os.system, x = os.system or y.
bool ProgramReader::is_value(const ProgramCode& code, std::size_t at, std::size_t before) const {
  if (code.is(before, ";") || code.is(before, ".")) return false;
  if (code.is_name(before) && code[before].line != code[at].line) return false;
  const bool ends = at + 1 >= code.size() || code.is(at + 1, ";") ||
                    (code[at + 1].line != code[at].line && !code.closes(at + 1));
  const bool alias = code.is(before, "=") && before > 0 && names_.is_alias(code[before - 1].text) &&
                     (before < 2 || !code.is_dot(before - 2));
  if (alias && ends && names_.is_statement(before - 1)) return false;
  for (std::size_t i = before; i > 0 && before - i < kMaxLookedBack; --i) {
    if (!code.is_name(i) && !code.is(i, ",") && !code.is(i, "(") && !code.is(i, ".")) break;
    if (among(code.word(i), "import def isinstance")) return false;
  }
  return true;
}

// [os.system], f(os.system), x.f = os.system: who calls it with what is not known.
bool ProgramReader::is_handed_on(const ProgramCode& code, std::size_t at,
                                 const ProgramCallee& callee, const KnownCall& row) const {
  const bool acts = row.act == A::start || row.act == A::evaluate || row.act == A::remove ||
                    row.act == A::remove_all;
  const bool named = callee.names.size() > 1 || callee.name.contains('.');
  const std::string_view word = code.word(at);
  const bool function = !word.empty() && word.front() >= 'a' && word.front() <= 'z';
  if (!acts || !named || !function || row.shape == S::receiver || callee.begin == 0) return false;
  if (code.is(at + 1, "=") || code.opens(at + 1)) return false;
  std::size_t before = callee.begin - 1;
  if (language_ == L::python) return is_value(code, at, before);
  if (code.is(at + 1, ":")) return false;
  // s = os.system is an alias, which is known
  if (code.is(before, "=")) return before >= 2 && code.is_dot(before - 2);
  if (code.is(before, "{") || (code.is(before, ",") && language_ == L::javascript)) return false;
  if (code.is(before, ":") && code.is(at + 1, "}")) {  // {spawn: s} = …, ({spawn: s}) => …
    const bool bracket = code.is(at + 2, ")");
    if (code.is(at + 2, "=") || (bracket && code.is(at + 3, "=>"))) return false;
  }
  while (before > 0 && (code.is_name(before) || code.is(before, ",") || code.is(before, "("))) {
    if (among(code.word(before), "import promisify def isinstance")) return false;
    --before;
  }
  const ProgramToken& last = code[callee.begin - 1];
  return last.is("(") || last.is(",") || last.is("[") || last.is(":") || last.text == "return";
}

// require('child_process')['execSync'](…), globals()[name](…)
void ProgramReader::read_element(const ProgramCode& code, std::size_t open) {
  if (open == 0) return;
  const std::size_t close = code.partner(open);
  const ExpressionReader reader(code, context_);
  const TokenRange key = code.inside(open);
  const bool literal = is_literal(code, key);
  if (literal && code[key.begin].text == "constructor") return add(A::hide, "constructor");
  if (close >= code.size() || !code.is(close + 1, "(")) return;
  std::size_t before = open - 1;
  if (code.is(before, ")") && code.partner(before) < before && code.partner(before) > 0) {
    before = code.partner(before) - 1;
  }
  if (!code.is_name(before)) return;
  ProgramCallee callee = reader.callee(before);
  const bool loads = among(code.word(before), "require __import__ import_module");
  if (loads && code.is_text(before + 2)) {
    callee.names = names_.resolve(code[before + 2].text);
  }
  const bool tables = among(code.word(before), "globals locals vars __dict__ modules");
  const bool powerful = tables || std::ranges::any_of(callee.names, [](const std::string& name) {
                          return among(last_word(name), kPowerfulModules);
                        });
  if (!literal) {
    if (powerful) add(A::hide, callee.name);
    return;
  }
  for (std::string& name : callee.names) name += "." + code[key.begin].text;
  callee.name += "." + code[key.begin].text;
  if (const KnownCall* const row = find_row(callee, code[key.begin].text)) {
    add_call(code, callee, *row, before, code.inside(close + 1));
  } else if (tables) {
    add(A::hide, callee.name);
  }
}

// ("sys" . "tem")("rm x") of PHP
void ProgramReader::read_called_value(const ProgramCode& code, std::size_t open) {
  if (language_ != L::php || open == 0 || !code.is(open - 1, ")")) return;
  const std::size_t begin = code.partner(open - 1);
  if (begin >= open || (begin > 0 && code.is_name(begin - 1))) return;
  for (std::size_t i = begin; i < open; ++i) {
    if (code.is_text(i)) return add(A::hide, code[i].text);
  }
}

// Ways to call something without its name.
void ProgramReader::look_for_tricks(const ProgramCode& code, std::size_t at) {
  const std::string_view name = code.word(at);
  static const std::unordered_set<std::string_view> words{
      "__builtins__", "__subclasses__", "__globals__", "__getattribute__",
      "__loader__",   "environ",        "env",         "ENV",
      "%ENV",         "exec",           "system",      "__dict__",
      "getattr",      "vars",           "attrgetter",  "methodcaller",
      "send",         "public_send",    "__send__",    "method",
      "globals",      "locals",         "loads",       "fork",
      "pcntl_fork"};
  const bool variable = language_ == L::php && name.starts_with('$');
  const bool in_braces = language_ == L::perl && at > 1 && code.is(at - 1, "{");
  if (!variable && !in_braces && !words.contains(name)) return;
  if (among(name, "fork pcntl_fork")) {
    const std::size_t begin = ExpressionReader(code, context_).callee(at).begin;
    if (forks_forever(code, {begin, at + 1})) add(A::fork_bomb, std::string(name));
    return;
  }
  const bool called = code.is(at + 1, "(");
  const ExpressionReader reader(code, context_);
  if (among(name, "__builtins__ __subclasses__ __globals__ __getattribute__ __loader__")) {
    return add(A::hide, std::string(name));
  }
  if (name == "environ" || (name == "env" && at > 1 && code.word(at - 2) == "process") ||
      name == "ENV" || name == "%ENV") {
    const bool one = code.is(at + 1, "[") || code.is(at + 1, "{") || code.is(at + 1, ".");
    report_.shows_environment = report_.shows_environment || !one;
  }
  if (language_ == L::php && called && name.starts_with('$')) {
    return add(A::hide, std::string(name));
  }
  if (language_ == L::perl && among(name, "exec system") && code.is(at + 1, "{")) {
    return add(A::hide, std::string(name));
  }
  if (language_ == L::perl && at > 1 && code.is(at - 1, "{") && code.is(at - 2, "&")) {
    return add(A::hide, std::string(name));
  }
  if (!called) {
    const bool owned = at > 1 && code.is_dot(at - 1);
    if (name == "__dict__" && owned && among(code.word(at - 2), kPowerfulModules)) {
      add(A::hide, "__dict__");
    }
    return;
  }
  const TokenRange inside = code.inside(at + 1);
  if (among(name, "globals locals vars") && inside.size() == 0) {  // globals()["x"] = …
    const std::size_t behind = inside.end + 1;
    const bool set = code.is(behind, "[") && code.is(code.partner(behind) + 1, "=");
    if (set || (code.is_dot(behind) && among(code.word(behind + 1), "update setdefault"))) {
      add(A::hide, std::string(name));
    }
  } else if (among(name, "getattr vars") && inside.size() > 0) {
    std::size_t end = inside.begin;
    const std::vector<std::string> of = names_.resolve(code.dotted(end, inside.end));
    const bool powerful = code.is(inside.begin + 1, "(") ||  // getattr(__import__("os"), …)
                          std::ranges::any_of(of, [](const std::string& one) {
                            return among(one, kPowerfulModules);
                          });
    const bool risky = powerful && (name == "vars" || !code.is(end, ",") ||
                                    !is_literal(code, {end + 1, inside.end}) ||
                                    !known_calls(language_, code[end + 1].text).empty());
    if (risky) add(A::hide, std::string(name));
  } else if (among(name, "attrgetter methodcaller send public_send __send__ method")) {
    for (std::size_t i = inside.begin; i < std::min(inside.end, inside.begin + 4); ++i) {
      const bool word = code.is_text(i) || code.is_name(i);
      if (word && !known_calls(language_, code[i].text).empty() && has_risky_word(code[i].text)) {
        return add(A::hide, std::string(name));
      }
    }
  } else if (name == "loads" && is_called(reader.callee(at).names, "pickle.loads cPickle.loads")) {
    for (std::size_t i = inside.begin; i < std::min(inside.end, inside.begin + kMaxLookedBack);
         ++i) {
      if (code.is_text(i) || among(code.word(i), kDecoders)) return add(A::native, "pickle.loads");
    }
  }
}

}  // namespace talaria::guard
