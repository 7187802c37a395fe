#include "policy/guard/program/program_start.h"

#include "policy/guard/program/interpreter_call.h"
#include "policy/guard/program/program.h"
#include "policy/guard/program/program_language.h"
#include "policy/guard/program/program_words.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/shell_call.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMostWords = 48;

bool is_absolute(std::string_view path) { return path.starts_with('/') || path.starts_with('~'); }

using NamedValues = std::vector<std::pair<std::string, ProgramValue>>;

void note_variables(const NamedValues& fields, std::vector<SeenAssignment>& given) {
  for (const auto& [name, value] : fields) {
    const bool counts = is_watched_variable(name) || is_run_variable(name);
    if (counts && !value.list && !value.wholly_unknown()) given.push_back({name, {value.text}});
  }
}

void give_variables(const std::vector<SeenAssignment>& variables, InnerCommand& command) {
  if (variables.empty() || command.elsewhere) return;
  std::vector<SeenWord> words{{"env"}};
  for (const SeenAssignment& one : variables) {
    words.push_back({one.name + "=" + one.value.text});
    if (command.is_text) {
      command.text.text =
          "export " + one.name + "=" + shell_word(one.value.text) + "; " + command.text.text;
    }
  }
  if (!command.is_text) command.words.insert(command.words.begin(), words.begin(), words.end());
}

}  // namespace

ProgramValue ProgramStart::all_words() const {
  if (!known) return ProgramValue::unknown();
  ProgramValue all{.text = "", .items = named, .list = true};
  all.items.insert(all.items.end(), arguments.begin(), arguments.end());
  return all;
}

ProgramValue ProgramStart::environment(const std::string& name) const {
  if (name == "HOME") return {.text = "~"};
  const std::optional<std::string> value = variable ? variable(name) : std::nullopt;
  if (value) return {.text = *value};
  return among(name, "TMPDIR TMP TEMP") ? ProgramValue{.text = "/tmp"} : ProgramValue::unknown();
}

ProgramStart start_of_program(const SeenCommand& by, const KnownVariable& variable) {
  ProgramStart start{.variable = variable};
  if (!is_interpreter(by.program)) return start;
  InterpreterCall call = read_interpreter_call(by);
  if (!is_interpreter(base_name(by.word(0)))) call = {.arguments = 1};  // ./script.py x
  start.known = call.arguments > 0 && by.words.size() <= call.arguments + kMostWords;
  for (std::size_t i = call.arguments; i < by.words.size() && start.known; ++i) {
    const SeenWord& word = by.words[i];
    start.arguments.push_back(
        {.text = word.text, .several = word.several || word.pattern, .pattern = word.pattern});
  }
  const ProgramValue script{.text = std::string(by.word(call.file))};
  const ProgramLanguage language = program_language(by.program);
  const bool is_node = language == ProgramLanguage::javascript;
  if (is_node) start.named = {{.text = "node"}};
  if (language == ProgramLanguage::python || language == ProgramLanguage::php ||
      (is_node && call.programs.empty())) {
    start.named.push_back(script);
  }
  if (call.reads_input) return start;
  for (const std::string& path : by.input.paths) start.lines.push_back({.text = path});
  std::string_view rest = by.input.text ? std::string_view(*by.input.text) : "";
  while (!rest.empty() && start.lines.size() < kMostWords) {
    start.lines.push_back({.text = std::string(next_word(rest, '\n'))});
  }
  if (!rest.empty()) start.lines.clear();
  return start;
}

void move_into(const std::string& directory, InnerCommand& command) {
  if (directory.empty()) return;
  if (command.is_text) {
    command.text.text = "cd " + shell_word(directory) + " && " + command.text.text;
  } else if (command.directory.empty()) {
    command.directory = directory;
  } else if (!is_absolute(command.directory)) {
    command.directory = directory + "/" + command.directory;
  }
}

void add_variables(const ProgramFinding& finding, std::vector<SeenAssignment>& variables) {
  const ProgramArguments& given = finding.arguments;
  std::string_view value = finding.argument(0).text;  // putenv("X=y")
  const std::string name(next_word(value, '='));
  const ProgramValue only{.text = std::string(value)};
  note_variables({{name, given.values.size() > 1 ? given.values[1] : only}}, variables);
  note_variables(given.named, variables);
  for (const ProgramValue& one : given.values) note_variables(one.fields, variables);
}

void prepare_start(const ProgramFinding& finding, std::vector<SeenAssignment> variables,
                   InnerCommand& command) {
  for (const ProgramValue& one : finding.arguments.values) note_variables(one.fields, variables);
  if (const ProgramValue* const env = finding.arguments.find("env", 99)) {
    note_variables(env->fields, variables);
  }
  give_variables(variables, command);
  for (const char* const name : {"cwd", "chdir"}) {
    const std::size_t place = finding.name == "proc_open" ? 3 : 99;
    const ProgramValue* const to = finding.arguments.find(name, place);
    const bool known = to != nullptr && !to->list && !to->number && !to->wholly_unknown();
    if (known) move_into(to->text, command);
  }
}

void name_home(const std::string& home, std::vector<InnerCommand>& commands) {
  const auto name = [&](std::string& path) {
    if (path == "~" || path.starts_with("~/")) path.replace(0, 1, home);
  };
  for (InnerCommand& command : commands) {
    if (command.is_text) continue;
    name(command.directory);
    for (SeenWord& word : command.words) name(word.text);
  }
}

}  // namespace talaria::guard
