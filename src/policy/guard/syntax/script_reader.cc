#include "policy/guard/syntax/script_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace talaria::guard {
namespace {

// Words that end a list, where a command could begin.
constexpr std::array<std::string_view, 8> kClosers{"then", "do",   "done", "fi",
                                                   "elif", "else", "esac", "}"};

// a |& b is a 2>&1 | b.
void join_errors(ShellCommand& command) {
  ShellRedirect redirect;
  redirect.kind = ShellRedirect::Kind::duplicate;
  redirect.descriptor = 2;
  redirect.target.begin = command.end;
  redirect.target.end = command.end;
  add_text(redirect.target, "1", false);
  command.redirects.push_back(std::move(redirect));
}

}  // namespace

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }

bool ends_word(char c) {
  switch (c) {
    case ' ':
    case '\t':
    case '\n':
    case '|':
    case '&':
    case ';':
    case '(':
    case ')':
    case '<':
    case '>':
      return true;
    default:
      return false;
  }
}

ScriptReader::ScriptReader(std::string_view text, ReadState& state, std::size_t base,
                           std::span<const std::size_t> origins)
    : text_(text), state_(state), base_(base), origins_(origins) {}

Script read_script(std::string_view text) {
  ReadState state;
  Script script;
  script.list = ScriptReader(text, state).read_all();
  script.trouble = std::move(state.trouble);
  return script;
}

// --- characters
// -----------------------------------------------------------------------------------

std::size_t ScriptReader::origin(std::size_t at) const {
  if (origins_.empty()) return base_ + at;
  return at < origins_.size() ? origins_[at] : origins_.back() + (at + 1 - origins_.size());
}

// The text is over for everybody: whoever asks next finds its end.
void ScriptReader::fail(std::string why) {
  if (!failed()) state_.trouble = std::move(why);
  at_ = text_.size();
}

bool ScriptReader::enter() {
  if (++state_.nesting <= kMaxNesting) return true;
  fail("it is nested too deeply");
  return false;
}

bool ScriptReader::back_to(Mark mark) {
  if (failed() || ++state_.second_tries > kMaxSecondTries) {
    fail("too much of it can be read in two ways");
    return false;
  }
  at_ = mark.at;
  documents_ = std::move(mark.documents);
  return true;
}

bool ScriptReader::take(std::string_view what) {
  if (!looking_at(what)) return false;
  at_ += what.size();
  return true;
}

std::string_view ScriptReader::raw_word() const {
  const std::string_view ahead = rest();
  std::size_t end = 0;
  while (end < ahead.size() && !ends_word(ahead[end]) && end < 16) ++end;
  return ahead.substr(0, end);
}

bool ScriptReader::take_reserved(std::string_view word) {
  skip_blanks();
  if (raw_word() != word) return false;
  at_ += word.size();
  return true;
}

void ScriptReader::expect_reserved(std::string_view word) {
  if (!take_reserved(word)) fail("'" + std::string(word) + "' is missing");
}

void ScriptReader::skip_blanks() {
  for (;;) {
    if (peek() == ' ' || peek() == '\t') {
      ++at_;
    } else if (peek() == '\\' && peek(1) == '\n') {
      at_ += 2;
    } else {
      break;
    }
  }
  if (peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
}

void ScriptReader::take_line_end() {
  ++at_;
  if (!documents_.empty()) read_documents();
}

void ScriptReader::skip_lines() {
  skip_blanks();
  while (peek() == '\n') {
    take_line_end();
    skip_blanks();
  }
}

// --- lists and pipelines
// --------------------------------------------------------------------------

ShellList ScriptReader::read_all() {
  ShellList list = read_list();
  if (!failed() && !at_end()) fail("there is a '" + std::string(1, peek()) + "' too many");
  if (!documents_.empty()) read_documents();
  return list;
}

bool ScriptReader::at_list_end() const {
  if (at_end() || peek() == ')' || looking_at(";;") || looking_at(";&")) return true;
  return std::ranges::find(kClosers, raw_word()) != kClosers.end();
}

ShellList ScriptReader::read_list() {
  ShellList list;
  if (!enter()) return list;
  for (skip_lines(); !at_list_end(); skip_lines()) {
    list.pipelines.push_back(read_pipeline());
    list.pipelines.back().after = read_separator();
    if (list.pipelines.back().after == AfterPipeline::end) break;
  }
  const bool open =
      !list.pipelines.empty() && (list.pipelines.back().after == AfterPipeline::and_then ||
                                  list.pipelines.back().after == AfterPipeline::or_else);
  if (open) fail("a command is missing at its end");
  leave();
  return list;
}

AfterPipeline ScriptReader::read_separator() {
  skip_blanks();
  if (take("&&")) return AfterPipeline::and_then;
  if (take("||")) return AfterPipeline::or_else;
  if (looking_at(";;") || looking_at(";&")) return AfterPipeline::end;
  if (take(";")) return AfterPipeline::next;
  if (take("&")) return AfterPipeline::background;
  return peek() == '\n' ? AfterPipeline::next : AfterPipeline::end;
}

ShellPipeline ScriptReader::read_pipeline() {
  ShellPipeline pipeline;
  for (;;) {
    if (take_reserved("time")) {
      take_reserved("-p");
      take_reserved("--");
    } else if (take_reserved("!") || (looking_at("!(") && take("!"))) {
      pipeline.negated = !pipeline.negated;
    } else {
      break;
    }
    if (at_command_end() && peek() != '(') {  // "time" and "!" alone are commands
      pipeline.commands.emplace_back();
      return pipeline;
    }
  }
  pipeline.commands.push_back(read_command());
  for (skip_blanks(); peek() == '|' && peek(1) != '|' && !failed(); skip_blanks()) {
    ++at_;
    if (take("&")) join_errors(pipeline.commands.back());
    skip_lines();
    pipeline.commands.push_back(read_command());
  }
  return pipeline;
}

// --- commands
// -------------------------------------------------------------------------------------

ShellCommand ScriptReader::read_command() {
  ShellCommand command;
  skip_blanks();
  command.begin = origin(at_);
  if (++state_.commands > kMaxScriptCommands) fail("it has too many commands");
  if (failed()) return command;
  if (read_compound(command)) {
    read_redirects(command);
  } else if (std::ranges::find(kClosers, raw_word()) != kClosers.end()) {
    fail("there is a '" + std::string(raw_word()) + "' too many");
  } else {
    command = read_simple();
  }
  command.end = origin(at_);
  return command;
}

bool ScriptReader::at_redirect() const {
  if (looking_at("&>")) return true;
  std::size_t ahead = 0;
  if (peek() == '{' && is_name_start(peek(1))) {  // {fd}>file
    ahead = 1;
    while (is_name_char(peek(ahead))) ++ahead;
    if (peek(ahead) != '}') return false;
    ++ahead;
  } else {
    while (is_digit(peek(ahead))) ++ahead;
  }
  if (peek(ahead) != '<' && peek(ahead) != '>') return false;
  return ahead > 0 || peek(1) != '(';  // <(…) is a word
}

bool ScriptReader::at_command_end() const {
  if (at_end()) return true;
  const char c = peek();
  return c == '\n' || c == ';' || c == '|' || c == '&' || c == '(' || c == ')';
}

ShellCommand ScriptReader::read_simple() {
  ShellCommand command;
  command.begin = origin(at_);
  for (skip_blanks(); !failed(); skip_blanks()) {
    if (at_redirect()) {
      read_redirect(command.redirects);
    } else if (at_command_end()) {
      break;
    } else if (!read_assignment(command.assignments, !command.words.empty())) {
      command.words.push_back(read_word());
      if (command.words.size() == 1 && command.assignments.empty() && read_function_head(command)) {
        break;
      }
    }
  }
  if (peek() == '(' && command.kind == ShellCommand::Kind::simple) fail("there is a '(' too many");
  const bool empty =
      command.words.empty() && command.assignments.empty() && command.redirects.empty();
  if (empty && command.kind == ShellCommand::Kind::simple) fail("a command is missing");
  return command;
}

// name () body
bool ScriptReader::read_function_head(ShellCommand& command) {
  skip_blanks();
  if (peek() != '(') return false;
  const ShellWord& word = command.words.front();
  command.name = word.parts.size() == 1 ? word.parts.front().text : "";
  command.words.clear();
  ++at_;
  skip_blanks();
  if (!take(")")) {
    fail("there is a '(' too many");
    return true;
  }
  command.kind = ShellCommand::Kind::function;
  skip_lines();
  ShellPipeline body;
  if (enter()) body.commands.push_back(read_command());
  leave();
  command.lists.emplace_back().pipelines.push_back(std::move(body));
  return true;
}

// --- redirections
// ---------------------------------------------------------------------------------

void ScriptReader::read_redirects(ShellCommand& command) {
  for (skip_blanks(); !failed() && at_redirect(); skip_blanks()) read_redirect(command.redirects);
}

bool ScriptReader::read_redirect(std::vector<ShellRedirect>& redirects) {
  using Kind = ShellRedirect::Kind;
  if (++state_.words > kMaxScriptWords) {
    fail("it has too many words");
    return false;
  }
  ShellRedirect redirect;
  if (peek() == '{') {
    at_ = text_.find('}', at_) + 1;
    redirect.descriptor = 10;  // bash picks one
  } else if (is_digit(peek())) {
    redirect.descriptor = 0;
    for (; is_digit(peek()); ++at_) {
      redirect.descriptor = std::min(redirect.descriptor * 10 + (peek() - '0'), 1'000'000);
    }
  }
  static constexpr std::pair<std::string_view, Kind> kOperators[] = {
      {"&>>", Kind::append},        {"&>", Kind::output},        {"<<<", Kind::here_string},
      {"<<-", Kind::here_document}, {"<<", Kind::here_document}, {"<&", Kind::duplicate},
      {"<>", Kind::both},           {"<", Kind::input},          {">>", Kind::append},
      {">&", Kind::duplicate},      {">|", Kind::output},        {">", Kind::output}};
  for (const auto& [text, kind] : kOperators) {
    if (!take(text)) continue;
    redirect.kind = kind;
    redirect.all_output = text.starts_with('&');
    if (redirect.descriptor < 0) redirect.descriptor = text.starts_with('<') ? 0 : 1;
    if (kind == Kind::here_document) {
      redirect.document = std::make_unique<HereDocument>();
      redirect.document->strips_tabs = text == "<<-";
    }
    break;
  }
  skip_blanks();
  if (at_end() || (ends_word(peek()) && !((peek() == '<' || peek() == '>') && peek(1) == '('))) {
    fail("a redirection leads nowhere");
    return false;
  }
  if (redirect.document) {
    read_document_word(redirect);
  } else {
    redirect.target = read_word();
  }
  redirects.push_back(std::move(redirect));
  return true;
}

}  // namespace talaria::guard
