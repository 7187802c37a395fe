#include <algorithm>
#include <map>

#include "policy/guard/instructions/instruction_table.h"
#include "policy/guard/run/parameter.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

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

const std::vector<const InstructionFile*>& instruction_files(std::string_view program) {
  static const auto index = [] {
    std::map<std::string_view, std::vector<const InstructionFile*>> rows;
    for (const InstructionFile& row : kInstructionFiles) {
      for (std::string_view names = row.programs; !names.empty();) {
        rows[next_word(names)].push_back(&row);
      }
    }
    return rows;
  }();
  static const std::vector<const InstructionFile*> none;
  const auto found = index.find(without_version(program));
  return found == index.end() ? none : found->second;
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
