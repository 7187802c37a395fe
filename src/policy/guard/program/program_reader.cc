#include "policy/guard/program/program_reader.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "policy/guard/program/program_words.h"
#include "policy/guard/program/risky_words.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using L = ProgramLanguage;
using A = ProgramAct;
using S = CallShape;

constexpr int kMaxPieces = 6;  // code in texts in code
constexpr std::size_t kMaxFindings = 256;
constexpr std::size_t kMaxBare = 128;  // tokens of arguments without brackets

// Functions that call a function they are given.
constexpr std::string_view kCallers =
    "map imap imap_unordered filter starmap submit run_in_executor apply_async Thread Process "
    "partial register call_soon to_thread forEach foreach setImmediate finalize addfinalizer "
    "addCleanup callback";
// Those that call it with each item of a list.
constexpr std::string_view kMappers = "map imap imap_unordered filter starmap forEach foreach";

// Of a mode: 'w', 'a+', O_WRONLY, '>'.
bool opens_for_writing(const ProgramValue* mode) {
  if (mode == nullptr || mode->number) return false;
  const std::string& text = mode->text;
  return text.size() < 8 && text.find_first_of("wax+>") != std::string::npos;
}

bool appends(const ProgramValue* mode) { return mode != nullptr && mode->text.starts_with('a'); }

}  // namespace

ProgramReader::ProgramReader(const ProgramCode& code, ProgramLanguage language,
                             const ProgramStart& start)
    : language_(language),
      code_(code),
      names_(code, language),
      made_{language == L::python ? std::set<std::string>{"tmp_path", "tmpdir"}
                                  : std::set<std::string>{}},
      context_{names_, start, made_},
      report_{.language = language} {
  has_places_ = std::ranges::any_of(code.tokens(), [](const ProgramToken& token) {
    return token.kind == ProgramToken::Kind::text && may_be_place(token.text);
  });
  note_own_attributes();
}

// self.d = tempfile.mkdtemp(), and nothing else anywhere
void ProgramReader::note_own_attributes() {
  const ExpressionReader reader(code_, context_);
  std::set<std::string> otherwise;
  for (std::size_t i = 3; i < code_.size(); ++i) {
    const bool assigned = code_[i].kind == ProgramToken::Kind::mark && code_[i].text.ends_with('=');
    if (!assigned || !code_.is_name(i - 1) || !code_.is_dot(i - 2)) continue;
    std::size_t begin = i - 1;
    while (begin >= 2 && code_.is_dot(begin - 1) && code_.is_name(begin - 2)) begin -= 2;
    std::size_t end = i + 1;
    bool temporary = false;
    while (end < code_.size() && end < i + kMaxBare && code_[end].line == code_[i].line &&
           !code_.is(end, ";")) {
      const std::string word = lower_case(code_.word(end++));
      temporary = temporary || word.contains("temp") || word.contains("tmp");
    }
    const std::string name = code_.dotted(begin, i);
    const bool own = temporary && code_[i].is("=") && reader.evaluate({i + 1, end}).own;
    (own ? made_ : otherwise).insert(name);
  }
  for (const std::string& name : otherwise) made_.erase(name);
}

ProgramReport ProgramReader::read() {
  if (names_.imports("sh") && language_ == L::python) add(A::hide, "sh");
  read_code(code_, 0);
  if (context_.spent()) add(A::unreadable, "it is too much to follow");
  return std::move(report_);
}

void ProgramReader::add(ProgramAct act, std::string name) {
  if (report_.findings.size() >= kMaxFindings) return;
  report_.findings.push_back({.act = act, .name = std::move(name)});
}

void ProgramReader::read_code(const ProgramCode& code, int depth) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    const ProgramToken& token = code[i];
    switch (token.kind) {
      case ProgramToken::Kind::command: {
        ProgramFinding finding{.act = A::start, .shape = S::text, .name = "`…`"};
        ProgramToken text = token;
        text.kind = ProgramToken::Kind::text;
        const ProgramCode alone({std::move(text)});
        finding.arguments = ExpressionReader(alone, context_).arguments_in({0, 1});
        report_.findings.push_back(std::move(finding));
        read_pieces(token, depth);
        break;
      }
      case ProgramToken::Kind::text:
        read_text(code, i);
        read_pieces(token, depth);
        break;
      case ProgramToken::Kind::unknown:
        read_unknown(code, i);
        break;
      case ProgramToken::Kind::name:
        look_for_tricks(code, i);
        read_name(code, i);
        break;
      case ProgramToken::Kind::mark:
        if (token.text == "[") read_element(code, i);
        if (token.text == "(") read_called_value(code, i);
        if (token.text == "=") read_variable(code, i);
        break;
      case ProgramToken::Kind::number:
        break;
    }
    if (report_.findings.size() >= kMaxFindings) {  // the rest is not read
      const bool said = report_.findings.back().act == A::unreadable;
      if (!said)
        report_.findings.push_back({.act = A::unreadable, .name = "it has too many calls"});
      return;
    }
  }
}

// os.environ["X"] = y, process.env.X = y, $ENV{X} = y
void ProgramReader::read_variable(const ProgramCode& code, std::size_t at) {
  if (at < 3 || &code != &code_) return;
  std::size_t of = at - 3;
  std::string name;
  if (code.is(at - 1, "]") || code.is(at - 1, "}")) {
    const std::size_t open = code.partner(at - 1);
    if (open + 3 != at || open == 0) return;
    of = open - 1;
    name = code[open + 1].text;
  } else if (code.is_dot(at - 2)) {
    name = code.word(at - 1);
  }
  if (!among(code.word(of), "environ env ENV $ENV $_ENV")) return;
  ProgramFinding finding{.act = A::set_variable, .name = "environment"};
  const TokenRange value{at + 1, names_.statement_end(at + 1)};
  finding.arguments.values = {{.text = std::move(name)},
                              ExpressionReader(code, context_).evaluate(value)};
  report_.findings.push_back(std::move(finding));
}

void ProgramReader::read_text(const ProgramCode& code, std::size_t at) {
  constexpr std::size_t kMostPlaces = 128;
  const std::string& first = code[at].text;
  report_.makes_tables = report_.makes_tables || lower_case(first).contains("create table");
  report_.names_home =
      report_.names_home || first == "HOME" || first.starts_with('~') || first.contains("$HOME");
  const auto joins = [&](std::size_t i) { return code.is(i, "+") || code.is(i, ".."); };
  if (report_.places.size() >= kMostPlaces || (at > 1 && joins(at - 1) && code.is_text(at - 2))) {
    return;
  }
  std::string whole = first;  // 'a' + 'b'
  for (std::size_t i = at + 1; joins(i) && code.is_text(i + 1); i += 2) whole += code[i + 1].text;
  if (may_be_place(whole)) report_.places.push_back(std::move(whole));
}

// Code in a text runs, too.
void ProgramReader::read_pieces(const ProgramToken& token, int depth) {
  for (const std::string& piece : token.pieces) {
    if (piece.empty()) continue;
    if (depth >= kMaxPieces) return add(A::unreadable, "code in texts");
    ProgramTokens tokens = read_program_tokens(piece, language_);
    if (!tokens.trouble.empty() && has_risky_word(piece)) add(A::unreadable, tokens.trouble);
    const ProgramCode code(std::move(tokens.tokens));
    read_code(code, depth + 1);
  }
}

// A piece of the program that a variable of the shell puts there: a value, or code.
void ProgramReader::read_unknown(const ProgramCode& code, std::size_t at) {
  const bool begins = at == 0 || code.is(at - 1, ";") || code.is(at - 1, "{") ||
                      code.is(at - 1, "}") || code[at - 1].line != code[at].line;
  const bool called = code.is(at + 1, "(") || code.is_dot(at + 1);
  const bool beside_name = at > 0 && code.is_name(at - 1) && !code[at].spaced;
  if (begins || called || beside_name) add(A::hide, "a variable of the shell");
}

// def system(…): its own function.
bool ProgramReader::is_defined(const ProgramCode& code, std::size_t at) const {
  return at > 0 && among(code.word(at - 1),
                         "def function fn func sub class void int interface struct import package "
                         "async static bool char");
}

bool ProgramReader::is_literal(const ProgramCode& code, TokenRange range) const {
  return range.size() == 1 && code.is_text(range.begin) && code[range.begin].pieces.empty();
}

// What a call is given. Nothing: it is not called.
std::optional<TokenRange> ProgramReader::argument_range(const ProgramCode& code,
                                                        std::size_t at) const {
  if (code.is(at + 1, "(")) return code.inside(at + 1);
  if (code.is(at + 1, ")") && code.is(at + 2, "(")) {  // (os.remove)("x"), (0, eval)("x")
    const std::size_t open = code.partner(at + 1);
    bool other = open > 0 && (code.closes(open - 1) || code.is_name(open - 1)) &&
                 !among(code.word(open - 1), kWordsBeforeBrackets);
    for (std::size_t i = std::min(open, at); i < at; ++i) {  // (lambda: eval)(): not that
      other = other || code.is(i, ":") || code.is(i, "=>") || code.word(i) == "lambda";
    }
    if (!other) return code.inside(at + 2);
  }
  // commandLine "rm", "x" of Gradle, include "x" of PHP
  const bool bare = calls_without_brackets(language_) ||
                    among(code.word(at), "commandLine include include_once") ||
                    (language_ == L::php && among(code.word(at), "require require_once"));
  if (!bare) return std::nullopt;
  const bool ends = at + 1 >= code.size() || code.is(at + 1, ";") || code.closes(at + 1) ||
                    among(code.word(at + 1), "if unless or and for foreach while do end");
  if (ends && language_ == L::lua) return std::nullopt;
  if (ends || (language_ == L::ruby && code[at + 1].line != code[at].line)) {
    return TokenRange{at + 1, at + 1};
  }
  const ProgramToken& next = code[at + 1];
  const bool value = next.kind != ProgramToken::Kind::mark || next.is("[") || next.is("\\") ||
                     next.is("-") || next.is("<");
  if (!value || (language_ == L::lua && !code.is_text(at + 1))) return std::nullopt;
  std::size_t end = at + 1;
  const std::size_t last = std::min(code.size(), at + kMaxBare);
  while (end < last && !code.is(end, ";") && !code.closes(end) && !code.is(end, "||") &&
         !among(code.word(end), "if unless or and for foreach while do") &&
         !(language_ == L::ruby && code.word(end) == "end")) {
    if (language_ != L::perl && code[end].line != code[at].line && !code.is(end - 1, ",")) break;
    end = code.opens(end) && code.partner(end) < code.size() ? code.partner(end) + 1 : end + 1;
  }
  return TokenRange{at + 1, end};
}

// map(os.remove, files): what the function gets that is given to another.
std::optional<TokenRange> ProgramReader::passed_arguments(const ProgramCode& code,
                                                          std::size_t at) const {
  const std::size_t open = code.enclosing(at);
  const bool passed = code.is(open, "(") && open > 0 && among(code.word(open - 1), kCallers);
  if (!passed || !(code.is(at + 1, ",") || code.is(at + 1, ")"))) return std::nullopt;
  const std::size_t close = std::min(code.partner(open), code.size());
  return TokenRange{std::min(at + 2, close), close};
}

const KnownCall* ProgramReader::find_row(const ProgramCallee& callee,
                                         const std::string& word) const {
  std::vector<std::string> names = callee.names;
  if (callee.name != word && names_.is_alias(word)) {  // A.s, with s = os.system in class A
    std::ranges::move(names_.resolve(word), std::back_inserter(names));
  }
  for (const std::string& name : names) {
    const std::string_view last = name == callee.name ? std::string_view(word) : last_word(name);
    for (const KnownCall* row : known_calls(language_, last)) {
      if (!row->module.empty() && !names_.imports(row->module)) continue;
      if (row->shape == S::receiver && !callee.receiver) continue;
      if (is_called({name}, row->names)) return row;
    }
  }
  return nullptr;
}

void ProgramReader::read_name(const ProgramCode& code, std::size_t at) {
  const std::string_view word = code.word(at);
  report_.names_home =
      report_.names_home ||
      among(word, "home homedir expanduser HOME userInfo pw_dir getpwuid getpwnam UserHomeDir");
  const bool may_act = !known_calls(language_, word).empty() || names_.is_alias(code[at].text) ||
                       ends_something(word) || among(word, "$ execute");
  if (!may_act) return read_other_call(code, at);
  if (is_defined(code, at)) return;
  const bool more = code.is_dot(at + 1) && code.is_name(at + 2);
  const bool through = more && among(code.word(at + 2), "__call__ call apply bind");
  if (more && !through) return;
  const ExpressionReader reader(code, context_);
  const ProgramCallee callee = reader.callee(at);
  // $`rm x`, "rm x".execute()
  if (last_word(callee.name) == "$" && code.is_text(at + 1) && language_ == L::javascript) {
    ProgramFinding finding{.act = A::start, .shape = S::text, .name = "$"};
    finding.arguments = reader.arguments_in({at + 1, at + 2});
    report_.findings.push_back(std::move(finding));
    return;
  }
  if (word == "execute" && callee.receiver && is_literal(code, *callee.receiver)) {
    ProgramFinding finding{.act = A::start, .shape = S::text, .name = "execute"};
    finding.arguments = reader.arguments_in(*callee.receiver);
    report_.findings.push_back(std::move(finding));
    return;
  }
  if (read_service_call(code, at, callee)) return;
  const KnownCall* const row = find_row(callee, code[at].text);
  if (row == nullptr) return read_other_call(code, at);
  if (through) {  // os.system.__call__(x), execSync.call(null, x)
    const bool function = word.front() >= 'a' && word.front() <= 'z';
    if (row->shape != S::receiver && function) hand_on(callee, *row);
    return;
  }
  std::optional<TokenRange> range = argument_range(code, at);
  const bool called = range.has_value();
  if (!called) range = passed_arguments(code, at);
  const bool mapped = !called && range && among(code.word(code.enclosing(at) - 1), kMappers);
  const bool passed = !called && range && range->size() == 0;  // x.forEach(execSync)
  if (range && !passed) {
    add_call(code, callee, *row, at, *range, mapped);
  } else if (passed || is_handed_on(code, at, callee, *row)) {
    hand_on(callee, *row);
  }
}

// run.delete() of what wandb.Api() gave
bool ProgramReader::read_service_call(const ProgramCode& code, std::size_t at,
                                      const ProgramCallee& callee) {
  const bool ends = ends_something(code.word(at)) && callee.receiver && code.is(at + 1, "(");
  const std::string_view clients = service_clients(language_);
  if (!ends || !names_.imports(clients) || !code.is_name(callee.begin)) return false;
  const bool cluster = code[at].text.contains("_namespaced_");
  if (!cluster && !names_.comes_from(code[callee.begin].text, clients)) return false;
  report_.findings.push_back(
      {.act = A::as_command, .name = callee.name, .command = kServiceChange});
  return true;
}

// Path.unlink: the function of the class
bool ProgramReader::is_of_class(const ProgramCode& code, const ProgramCallee& callee) const {
  return language_ == L::python && callee.receiver && code.is_name(callee.receiver->end - 1) &&
         is_called(callee.names, "=Path." + std::string(last_word(callee.name)) + " pathlib.Path." +
                                     std::string(last_word(callee.name)));
}

// Command::new("rm").arg("-rf").args(["x"])
void ProgramReader::add_chained(const ProgramCode& code, std::size_t close,
                                ProgramArguments& arguments) {
  const ExpressionReader reader(code, context_);
  while (code.is_dot(close + 1) && code.is_name(close + 2) && code.is(close + 3, "(")) {
    if (among(code.word(close + 2), "arg args addArgument")) {
      ProgramArguments more = reader.arguments(close + 3);
      std::ranges::move(more.values, std::back_inserter(arguments.values));
    }
    const std::size_t next = code.partner(close + 3);
    if (next >= code.size()) return;
    close = next;
  }
}

void ProgramReader::add_call(const ProgramCode& code, const ProgramCallee& callee,
                             const KnownCall& row, std::size_t at, TokenRange range, bool mapped) {
  const ExpressionReader reader(code, context_);
  range.end = std::min(range.end, range.begin + kMaxArgumentTokens);
  ProgramFinding finding{
      .act = row.act, .shape = row.shape, .name = callee.name, .command = row.command};
  finding.arguments = reader.arguments_in(range);
  for (ProgramValue& one : finding.arguments.values) {
    if (mapped && one.list) one.each = true;
  }
  if (callee.receiver) finding.receiver = reader.evaluate(*callee.receiver);
  std::vector<ProgramValue>& values = finding.arguments.values;
  if (is_of_class(code, callee) && row.shape == S::receiver && !values.empty()) {
    finding.receiver = values.front();  // Path.unlink(x)
    finding.receiver.path = true;
    values.erase(values.begin());
  }
  if (row.act == A::start && row.shape == S::argv && code.is(range.end, ")")) {
    add_chained(code, range.end, finding.arguments);
  }
  const ProgramValue* const files = finding.arguments.find("files", 99);
  if (values.empty() && files != nullptr && row.act == A::read) {
    values.push_back(*files);
    values.front().each = files->list;
  }
  if (finding.arguments.find("dir_fd", 99) != nullptr && !values.empty()) {
    values.front().text.insert(0, {kUnknownPiece, '/'});  // below what is open there
  }
  if (!counts(code, at, finding, range)) return read_other_call(code, at);
  note_made(code, finding, callee);
  report_.findings.push_back(std::move(finding));
}

// timeit(lambda: f(x)), timeit(f): no text.
bool ProgramReader::times_function(const ProgramCode& code, std::size_t at,
                                   TokenRange range) const {
  if (!among(code.word(at), "timeit repeat Timer")) return false;
  if (code.word(range.begin) == "lambda") return true;
  const bool alone = code.is(range.begin + 1, ",") || code.is(range.begin + 1, ")");
  return alone && code.is_name(range.begin) && names_.defines(code[range.begin].text);
}

// Whether the call does what the row says, as its arguments tell.
bool ProgramReader::counts(const ProgramCode& code, std::size_t at, ProgramFinding& finding,
                           TokenRange range) const {
  const ProgramArguments& given = finding.arguments;
  const bool block = code.is(at + 1, "{") || code.word(at + 1) == "do";
  switch (finding.act) {
    case A::evaluate:
      if (code.word(at) == "Worker") return is_true(given.find("eval", 99));
      // eval { … } of Perl; instance_eval with a block
      return !block && !times_function(code, at, range) &&
             (range.size() > 0 || language_ == L::perl) &&
             !(code.word(at) == "do" && is_literal(code, range));
    case A::load:
      if (!given.values.empty() && given.values[0].text.starts_with("data:")) return true;
      return range.size() > 0 && !(!given.ranges.empty() && is_literal(code, given.ranges[0])) &&
             !(language_ == L::perl && code.is_name(range.begin) &&
               !code[range.begin].text.starts_with('$'));
    case A::write:
      if (finding.shape == S::opens || (finding.shape == S::receiver && code.word(at) == "open")) {
        const bool method = finding.shape == S::receiver;
        if (method && !finding.receiver.path) return false;
        const ProgramValue* const mode = given.find("mode", method ? 0 : 1);
        const bool flags =
            std::any_of(code.tokens().begin() + static_cast<std::ptrdiff_t>(range.begin),
                        code.tokens().begin() + static_cast<std::ptrdiff_t>(range.end),
                        [](const ProgramToken& token) {
                          return among(token.text, "O_WRONLY O_RDWR O_CREAT O_TRUNC O_APPEND");
                        });
        const bool pipe = !given.values.empty() && given.values[0].text.starts_with('|');
        if (!flags && !pipe && !opens_for_writing(mode)) finding.act = A::read;
      }
      return true;
    case A::read:
      if (const ProgramValue* const in_place = given.find("inplace", 99);
          is_true(in_place) || (in_place != nullptr && in_place->text == "1")) {
        finding.act = A::write;
      }
      return true;
    case A::move:
      return finding.shape != S::receiver || finding.receiver.path;
    case A::hide:
      if (language_ == L::php || language_ == L::r) {
        const std::string name = given.values.empty() ? "" : given.values[0].text;
        const bool chosen = among(code.word(at), "call_user_func call_user_func_array") &&
                            !(!given.ranges.empty() && is_literal(code, given.ranges[0]));
        return chosen || !known_calls(language_, name).empty();
      }
      return language_ != L::javascript || finding.name.contains("constructor.constructor") ||
             finding.name.starts_with("?.");
    case A::start:
      return range.size() > 0 || language_ == L::perl;
    case A::send: {
      // reading a page sends nothing
      const bool body = given.find("data", 99) != nullptr || given.find("json", 99) != nullptr ||
                        given.find("files", 99) != nullptr || given.find("body", 99) != nullptr ||
                        given.find("content", 99) != nullptr || given.find("method", 99) != nullptr;
      const bool plain = among(code.word(at), "urlopen Request fetch axios got request");
      const std::size_t count = given.values.size();
      if (plain && count > 0 && given.values[0].text.starts_with("file:")) finding.act = A::read;
      // fetch('https://h/?' + x): what is in the address is sent
      if (plain && !body && count == 1 && !given.values[0].known()) finding.act = A::fetch;
      const bool second = count > 1 && among(code.word(at), "urlopen Request");
      const bool deletes = std::ranges::any_of(given.values, [](const ProgramValue& value) {
        return lower_case(value.text) == "delete";
      });
      return !plain || body || second || deletes || finding.act != A::send ||
             (count > 2 && code.word(at) == "request");
    }
    default:
      return true;
  }
}

// Paths that the program makes are its own to remove again.
void ProgramReader::note_made(const ProgramCode& code, const ProgramFinding& finding,
                              const ProgramCallee& callee) {
  if (finding.act != A::write && finding.act != A::make && finding.act != A::copy) return;
  if (finding.shape == S::opens && appends(finding.arguments.find("mode", 1))) return;
  const std::size_t which = finding.act == A::copy ? 1 : 0;
  TokenRange path;
  if (finding.shape == S::receiver && callee.receiver) {
    path = *callee.receiver;
  } else if (which < finding.arguments.ranges.size()) {
    path = finding.arguments.ranges[which];
  }
  std::size_t end = path.begin;
  if (path.size() == 0) return;
  const std::string dotted = code.dotted(end, path.end);
  if (end == path.end) made_.insert(dotted);
}

}  // namespace talaria::guard
