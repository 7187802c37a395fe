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

// What they are given is not called.
constexpr std::string_view kOnlyLook =
    "isinstance issubclass callable help getsource getsourcefile signature getdoc getfile expect "
    "mocked isMockFunction";

// Functions that need no module, as values.
std::string_view builtins(ProgramLanguage language) {
  switch (language) {
    case L::python:
      return "open eval exec execfile";
    case L::javascript:
      return "eval";
    case L::lua:
      return "load loadstring";
    case L::r:
      return "system system2 shell unlink file.remove";
    case L::julia:
      return "rm eval";
    default:
      return "";
  }
}

constexpr std::string_view kDecoders =
    "b64decode b32decode a85decode decompress fromhex unhexlify urlopen recv get decode";

}  // namespace

// In Python wherever it is no statement of its own, import or plain alias: key=os.system,
// @os.system, x = os.system or y.
bool ProgramReader::is_value(const ProgramCode& code, std::size_t at,
                             const ProgramCallee& callee) const {
  const std::size_t before = callee.begin - 1;
  if (code.is(before, ";") || code.is(before, ".")) return false;
  if (code.is_name(before) && code[before].line != code[at].line) return false;
  const bool own_line = &code == &code_ && code[before].line != code[at].line;
  if (own_line && names_.is_statement(callee.begin)) return false;
  const bool ends = at + 1 >= code.size() || code.is(at + 1, ";") ||
                    (code[at + 1].line != code[at].line && !code.closes(at + 1));
  const bool alias = code.is(before, "=") && before > 0 && names_.is_alias(code[before - 1].text) &&
                     (before < 2 || !code.is_dot(before - 2));
  if (alias && ends && names_.is_statement(before - 1)) return false;
  for (std::size_t i = before; i > 0 && before - i < kMaxLookedBack; --i) {
    if (!code.is_name(i) && !code.is(i, ",") && !code.is(i, "(") && !code.is(i, ".")) break;
    if (among(code.word(i), "import def")) return false;
  }
  return true;
}

// [os], (lambda m: m.remove("x"))(os): which of its functions are called is not known.
bool ProgramReader::is_module_value(const ProgramCode& code, std::size_t at) const {
  if (language_ != L::python || at == 0 || code.is_dot(at - 1) || code.is_dot(at + 1)) return false;
  if (!among(code.word(at), "os subprocess shutil pty posix builtins")) return false;
  if (code.is(at + 1, "=") || names_.find(code[at].text) != nullptr) return false;
  if (among(code.word(at - 1), "return yield") && code[at - 1].line == code[at].line) return true;
  const std::size_t open = code.enclosing(at);
  if (!code.opens(open) || !(code.is(at + 1, ",") || code.closes(at + 1))) return false;
  const bool call = code.is(open, "(") && open > 0 && code.is_name(open - 1);
  return !call || (names_.defines(code[open - 1].text) && !code.is_dot(open - 2));
}

// [os.system], f(os.system), x.f = os.system: who calls it with what is not known.
bool ProgramReader::is_handed_on(const ProgramCode& code, std::size_t at,
                                 const ProgramCallee& callee, const KnownCall& row) const {
  const std::string_view word = code.word(at);
  const bool builtin = names_.find(code[at].text) == nullptr && among(word, builtins(language_));
  const bool dotted = callee.name.contains('.');
  const std::size_t around = code.enclosing(at);
  const bool of_type = around > 0 && code[around - 1].line == code[around].line &&
                       (code.is_name(around - 1) || code.closes(around - 1));
  const bool listed = (code.is(around, "[") || code.is(around, "{")) && !of_type;
  const bool function =
      (word.front() >= 'a' && word.front() <= 'z') || (listed && language_ == L::python);
  if (!(dotted || builtin || callee.names.size() > 1) || !function) return false;
  if ((row.shape == S::receiver && !is_of_class(code, callee)) || callee.begin == 0) return false;
  if (code.is(at + 1, "=") || code.opens(at + 1)) return false;
  if (code.is(around, "(") && around > 0 && among(code.word(around - 1), kOnlyLook)) return false;
  std::size_t before = callee.begin - 1;
  if (language_ == L::python) return is_value(code, at, callee);
  if (code.is(at + 1, ":")) return code.is(before, "?");
  if (language_ == L::r && code.is(before, "=") && code.word(before - 1) == "FUN") return true;
  // s = os.system is an alias, which is known
  if (code.is(before, "=")) return before >= 2 && code.is_dot(before - 2);
  if (language_ == L::javascript && !dotted && code.is(around, "{") &&
      (code.is(before, "{") || code.is(before, ","))) {
    return false;  // {a, execSync}
  }
  if (code.is(before, ":") && code.is(at + 1, "}")) {  // {spawn: s} = …, ({spawn: s}) => …
    const bool bracket = code.is(at + 2, ")");
    if (code.is(at + 2, "=") || (bracket && code.is(at + 3, "=>"))) return false;
  }
  while (before > 0 && (code.is_name(before) || code.is(before, ",") || code.is(before, "("))) {
    if (among(code.word(before), "import promisify def isinstance typeof function")) return false;
    --before;
  }
  const ProgramToken& last = code[callee.begin - 1];
  return among(last.text, "( , [ : ? => && || ?? return") || (last.is("{") && language_ == L::lua);
}

// It may be called with anything. Writing to a path that is not known is no question of its own.
void ProgramReader::hand_on(const ProgramCallee& callee, const KnownCall& row) {
  switch (row.act) {
    case A::start:
    case A::evaluate:
    case A::remove:
    case A::remove_all:
      return add(A::hide, callee.name);
    case A::write:
    case A::move:
    case A::copy:
    case A::link:
      report_.hands_on_writing = true;
      return add(A::write, callee.name);
    default:
      return;
  }
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
  if (is_module_value(code, at)) return add(A::hide, std::string(name));
  static const std::unordered_set<std::string_view> words{
      "__builtins__", "__subclasses__", "__globals__", "__getattribute__",
      "__loader__",   "environ",        "env",         "ENV",
      "%ENV",         "exec",           "system",      "__dict__",
      "getattr",      "vars",           "attrgetter",  "methodcaller",
      "send",         "public_send",    "__send__",    "method",
      "globals",      "locals",         "loads",       "fork",
      "pcntl_fork",   "CORE",           "@ARGV",       "Reflect"};
  const bool variable = language_ == L::php && name.starts_with('$');
  const bool in_braces = language_ == L::perl && at > 1 && code.is(at - 1, "{");
  if (!variable && !in_braces && !words.contains(name)) return;
  if (among(name, "fork pcntl_fork")) {
    const std::size_t begin = ExpressionReader(code, context_).callee(at).begin;
    if (forks_forever(code, {begin, at + 1})) add(A::fork_bomb, std::string(name));
    return;
  }
  if (name == "Reflect") {  // Reflect.get(require("fs"), "rmSync")
    if (code.word(at + 2) != "get") return;
    const TokenRange given = code.is(at + 3, "(") ? code.inside(at + 3) : TokenRange{};
    if (among(code.word(given.begin), kPowerfulModules) || code.word(given.begin) == "require") {
      add(A::hide, "Reflect");
    }
    return;
  }
  if (name == "CORE") {  // \&CORE::system
    if (at > 1 && code.is(at - 1, "&") && code.is(at - 2, "\\")) add(A::hide, "CORE");
    return;
  }
  if (name == "@ARGV") {  // whatever is put there is opened
    add(A::read, "<>");
    if (!code.is(at + 1, "=") || &code != &code_) return;
    ProgramValue given =
        ExpressionReader(code, context_).evaluate({at + 2, names_.statement_end(at + 2)});
    if (!given.list) given = list_of({given});
    const bool in_place = std::ranges::any_of(  // $^I = ""
        code.tokens(), [](const ProgramToken& token) { return token.text.ends_with("^"); });
    for (ProgramValue& one : given.items) {
      ProgramFinding opened{.act = A::write, .shape = S::perl_open, .name = "<>"};
      opened.arguments.values = {ProgramValue::unknown(), std::move(one)};
      if (in_place) opened.arguments.values.insert(opened.arguments.values.begin() + 1, {">"});
      report_.findings.push_back(std::move(opened));
    }
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
    const bool of_files = at > 1 && code.is_dot(at - 1) && among(code.word(at - 2), "File Dir IO");
    for (std::size_t i = inside.begin; i < std::min(inside.end, inside.begin + 4); ++i) {
      const bool word = code.is_text(i) || code.is_name(i);
      if (word && !known_calls(language_, code[i].text).empty() &&
          (of_files || has_risky_word(code[i].text))) {
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
