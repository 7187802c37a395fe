#include "policy/guard/instructions/instructions.h"

#include <algorithm>
#include <utility>

#include "json/json_text.h"
#include "policy/guard/instructions/instruction_table.h"
#include "policy/guard/program/program.h"
#include "policy/guard/program/program_start.h"
#include "policy/guard/run/given_lists.h"
#include "policy/guard/run/parameter.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxLineTexts = 250;

// The operands of the command.
std::vector<std::string> operands_of(const SeenCommand& command) {
  std::vector<std::string> all;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (among(command.word(i), "-f -C -j -I -o -W --file --directory")) {
      ++i;
    } else if (!command.word(i).starts_with('-')) {
      all.push_back(command.words[i].text);
    }
  }
  return all;
}

void add_text(Instructions& found, std::string_view text) {
  if (!trim(text).empty()) found.commands.push_back(run_text({std::string(text)}));
}

// Which scripts of a package.json the words ask for.
bool is_asked(std::string_view script, const std::vector<std::string>& operands) {
  for (const std::string_view start : {"pre", "post"}) {
    if (script.starts_with(start) && script.size() > start.size() &&
        is_asked(script.substr(start.size()), operands)) {
      return true;
    }
  }
  constexpr std::string_view kAlways = "install prepare prepack publish dependencies";
  const std::string_view verb = operands.empty() ? "install" : std::string_view(operands.front());
  if (among(verb, "install i ci add update up upgrade rebuild link pack publish version") &&
      among(script, kAlways)) {
    return true;
  }
  return std::ranges::any_of(operands, [&](std::string_view word) {
    return word == script || word.contains(kUnknownPiece) || (word == "t" && script == "test") ||
           (word == "restart" && among(script, "stop start restart"));
  });
}

void read_package(std::string_view text, const SeenCommand& by, Instructions& found) {
  const Result<json::object> whole = parse_object(with_unknown_as("\\u0000", text), "package.json");
  if (!whole) {
    found.unknown = true;
    return;
  }
  const json::value* const scripts = whole->if_contains("scripts");
  if (scripts == nullptr || !scripts->is_object()) return;
  const std::vector<std::string> operands = operands_of(by);
  for (const auto& [name, script] : scripts->as_object()) {
    if (!script.is_string() || !is_asked(name, operands)) continue;
    add_text(found, std::string_view(script.as_string().data(), script.as_string().size()));
  }
}

std::string_view without_fields(std::string_view line, int fields) {
  for (; fields > 0 && !line.empty(); --fields) {
    line.remove_prefix(std::min(line.find_first_of(" \t"), line.size()));
    line = trim(line);
  }
  return line;
}

std::string_view without_marks(std::string_view text) {
  text = trim(text);
  while (!text.empty() && std::string_view("-@:+!|(\"'").contains(text.front())) {
    text = trim(text.substr(1));
  }
  while (!text.empty() && std::string_view(")]}\"'").contains(text.back())) text.remove_suffix(1);
  return text;
}

// [alias] / x = !command is `git -c alias.x=!command`
void add_setting(std::string_view section, std::string_view line, Instructions& found) {
  const std::size_t equals = line.find('=');
  if (section.empty() || equals == std::string_view::npos) return;
  std::string name(section);
  std::erase(name, '"');
  std::ranges::replace(name, ' ', '.');
  std::string value(trim(line.substr(equals + 1)));
  if (value.size() > 1 && value.front() == '"') value = value.substr(1, value.rfind('"') - 1);
  name.append(".").append(trim(line.substr(0, equals))).append("=").append(value);
  found.commands.push_back({.words = {{"git"}, {"-c"}, {std::move(name)}, {"status"}}});
}

// open "|command" of Tcl: what is in front of the command, and what ends it.
constexpr std::pair<std::string_view, char> kTclPipes[] = {
    {"\"|", '"'}, {"{|", '}'}, {"|[list ", ']'}};

// A volume of a compose file that is the whole machine, its settings or a home: "/:/host"
bool mounts_host(std::string_view line) {
  for (std::size_t at = line.find(":/"); at != line.npos; at = line.find(":/", at + 1)) {
    const std::size_t start = line.find_last_of(" \"'[,", at);
    const std::string_view source =
        line.substr(start == line.npos ? 0 : start + 1, at - (start == line.npos ? 0 : start + 1));
    if (among(source, "/ ~ $HOME ${HOME} /root /home /etc /usr /var /boot")) return true;
    std::string_view below = source;
    if (below.starts_with("/home/") && !below.substr(6).contains('/')) return true;
  }
  return false;
}

// Wherever on a line a command may stand: behind a mark, a key, a keyword, five fields of cron.
void read_lines(std::string_view text, const SeenCommand& by, Instructions& found) {
  std::string_view section;
  const auto add = [&](std::string_view command) {
    if (found.commands.size() < kMaxLineTexts) add_text(found, without_marks(command));
  };
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line = trim(line);
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[') section = line.substr(1, line.find(']') - 1);
    if (by.program == "git") add_setting(section, line, found);
    add(line);
    if (line.front() == '*' || std::isdigit(static_cast<unsigned char>(line.front())) != 0) {
      add(without_fields(line, 5));
    }
    add(without_fields(line, 1));
    for (const std::string_view mark : {"=", ": ", ":", "COMMAND", "exec ", "spawn ", "system "}) {
      const std::size_t at = line.find(mark);
      if (at != std::string_view::npos) add(line.substr(at + mark.size()));
    }
    for (const auto& [mark, end] : kTclPipes) {
      const std::size_t at = line.find(mark);
      if (at == std::string_view::npos) continue;
      const std::string_view command = line.substr(at + mark.size());
      add(command.substr(0, command.find(end)));
    }
    constexpr std::string_view kTclDelete = "file delete ";
    if (const std::size_t at = line.find(kTclDelete); at != std::string_view::npos) {
      add("rm -r " + std::string(line.substr(at + kTclDelete.size())));
    }
    found.unknown = found.unknown || line.starts_with("privileged: true") ||
                    line.contains("docker.sock") || mounts_host(line);
  }
  found.guessed = true;
}

// source FILE, \i FILE, .read FILE
void add_sourced(std::string_view text, std::string_view program, Instructions& found) {
  while (!text.empty()) {
    const std::string_view line = trim(next_word(text, '\n'));
    const std::string_view verb = line.substr(0, line.find_first_of(" \t"));
    if (line.size() == verb.size() || !among(verb, "source so \\i \\ir .read load")) continue;
    std::string file(trim(line.substr(verb.size())));
    std::erase(file, ';');
    found.commands.push_back({.words = {{std::string(program)}, {"source " + file}}});
  }
}

// python3.11 is python.
std::string_view without_version(std::string_view program) {
  const std::size_t end = program.find_last_not_of("0123456789.");
  if (program == "sqlite3" || end == std::string_view::npos) return program;
  return program.substr(0, end + 1);
}

bool fits(std::string_view pattern, std::string_view path) {
  if (!pattern.contains('/')) return matches_pattern(pattern, base_name(path));
  const std::size_t slash = path.find_last_of('/');
  const std::string_view directory = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  const std::size_t last = pattern.find_last_of('/');
  return base_name(directory) == pattern.substr(0, last) &&
         matches_pattern(pattern.substr(last + 1), base_name(path));
}

}  // namespace

Instructions read_instructions(Language language, std::string_view text, const SeenCommand& by,
                               const KnownVariable& variable) {
  Instructions found;
  switch (language) {
    case Language::shell:
      add_text(found, text);
      break;
    case Language::make:
      add_text(found, makefile_script(text, operands_of(by), by.program == "just"));
      break;
    case Language::package:
      read_package(text, by, found);
      break;
    case Language::program:
      return program_instructions(
          read_program_report(text, program_language(by.program), start_of_program(by, variable)));
    case Language::script:
      found.commands.push_back({.words = {{by.program}, {std::string(text)}}});
      break;
    case Language::input:
      found.commands.push_back({.words = {{by.program}}});
      found.commands.back().input = std::make_shared<const std::string>(text);
      add_sourced(text, by.program, found);
      break;
    case Language::lines:
      read_lines(text, by, found);
      if (among(by.program, "cmake ctest")) add_cmake_calls(text, variable, found);
      break;
    case Language::list:
      found.commands = with_list(by, text);
      break;
  }
  return found;
}

std::vector<const InstructionFile*> instruction_files(std::string_view program) {
  static const NameIndex<InstructionFile> index(kInstructionFiles, &InstructionFile::programs);
  return index.find(without_version(program));
}

bool is_for(const InstructionFile& row, const SeenCommand& command) {
  return row.verbs.empty() || std::ranges::any_of(command.words, [&](const SeenWord& word) {
           return among(word.text, row.verbs);
         });
}

bool is_read_by_name(const InstructionFile& row, std::string_view path) {
  for (std::string_view names = row.names; !names.empty();) {
    if (fits(next_word(names), path)) return true;
  }
  return false;
}

std::vector<SeenWord> named_files(const InstructionFile& row, const SeenCommand& command) {
  std::vector<SeenWord> files;
  bool first = row.words;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    const std::string_view option = word.substr(0, word.find('='));
    if (!row.options.empty() && among(option, row.options)) {
      if (option.size() < word.size()) {
        files.push_back({std::string(word.substr(option.size() + 1))});
      } else if (i + 1 < command.words.size()) {
        files.push_back(command.words[i + 1]);
      }
      continue;
    }
    // -fFILE; and of one word with a blank: source FILE
    for (std::string_view rest = row.options; !rest.empty();) {
      const std::string_view known = next_word(rest);
      const bool attached = known.size() == 2 ? word.size() > 2 && word[1] != '-'
                                              : word.starts_with(std::string(known) + " ");
      if (attached && word.starts_with(known)) {
        files.push_back({std::string(trim(word.substr(known.size())))});
      }
    }
    if (word.starts_with('-') || !row.words) continue;
    if (first || is_read_by_name(row, word)) files.push_back(command.words[i]);
    first = false;
  }
  return files;
}

Interpreter script_interpreter(std::string_view script) {
  if (!script.starts_with("#!")) return {};
  std::string_view line = script.substr(2, script.find('\n') - 2);
  std::string_view program;
  while (!line.empty()) {
    const std::string_view word = next_word(line);
    if (word.empty() || word.starts_with('-')) {
      if (!program.empty() && program != "env") break;
      continue;
    }
    program = base_name(word);
    if (program != "env") break;
  }
  for (const InstructionFile* row : instruction_files(program)) {
    const bool runs = row->words || row->options.contains("-f");
    if (runs && row->language != Language::package) return {row->language, std::string(program)};
  }
  return {};
}

}  // namespace talaria::guard
