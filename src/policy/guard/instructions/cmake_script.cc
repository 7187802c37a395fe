// What a script of CMake does by itself: file(REMOVE_RECURSE x), execute_process(COMMAND x).
#include <algorithm>

#include "policy/guard/instructions/instructions.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxFileCalls = 256;

// What file(VERB …) does, as a command.
struct FileVerb {
  std::string_view verbs;
  std::string_view command;  // with its options
  bool first = false;        // only the first argument is a path
};
constexpr FileVerb kFileVerbs[] = {
    {"REMOVE", "rm"},
    {"REMOVE_RECURSE", "rm -rf"},
    {"RENAME", "mv"},
    {"COPY_FILE COPY INSTALL", "cp -r"},
    {"CREATE_LINK", "ln -s"},
    {"WRITE APPEND GENERATE CONFIGURE", "tee", true},
    {"READ STRINGS", "cat", true},
};

// The path of $ENV{HOME}, and of the directories of the project; what else is put in is not known.
std::string with_values(std::string_view text, const KnownVariable& variable) {
  std::string out;
  while (!text.empty()) {
    const std::size_t mark = std::min(text.find('$'), text.size());
    out += text.substr(0, mark);
    text.remove_prefix(mark);
    if (text.empty()) break;
    const std::size_t end = std::min(text.find('}'), text.size() - 1);
    const std::string_view name = text.substr(0, end).substr(std::min(text.find('{') + 1, end));
    const bool here = name.starts_with("CMAKE_") && name.ends_with("_DIR");
    std::optional<std::string> value;
    if (text.starts_with("$ENV{")) value = variable ? variable(std::string(name)) : std::nullopt;
    out += here ? "." : value.value_or(std::string(1, kUnknownPiece));
    text.remove_prefix(end + 1);
  }
  return out;
}

// The words of a call up to its closing bracket, which are taken away.
std::vector<SeenWord> take_arguments(std::string_view& text, const KnownVariable& variable) {
  std::vector<SeenWord> words;
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n;"), text.size()));
    if (text.empty() || text.front() == ')') break;
    const bool quoted = text.front() == '"';
    if (quoted) text.remove_prefix(1);
    const std::size_t end = std::min(text.find_first_of(quoted ? "\"" : " \t\r\n;)"), text.size());
    words.push_back({with_values(text.substr(0, end), variable)});
    text.remove_prefix(std::min(end + (quoted ? 1 : 0), text.size()));
  }
  return words;
}

void add_file_call(std::vector<SeenWord> words, Instructions& found) {
  if (words.size() < 2) return;
  const auto* const row = std::ranges::find_if(
      kFileVerbs, [&](const FileVerb& one) { return among(words.front().text, one.verbs); });
  if (row == std::end(kFileVerbs)) return;
  InnerCommand run;
  for (std::string_view rest = row->command; !rest.empty();) {
    run.words.push_back({std::string(next_word(rest))});
  }
  if (among(words[1].text, "OUTPUT")) words.erase(words.begin() + 1);  // of GENERATE
  if (row->first && words.size() > 2) words.resize(2);
  std::erase_if(words, [](const SeenWord& word) {
    return among(word.text, "DESTINATION RESULT NO_REPLACE ONLY_IF_DIFFERENT SYMBOLIC");
  });
  run.words.insert(run.words.end(), words.begin() + 1, words.end());
  found.commands.push_back(std::move(run));
}

}  // namespace

void add_cmake_calls(std::string_view text, const KnownVariable& variable, Instructions& found) {
  for (std::size_t count = 0; count < kMaxFileCalls && !text.empty(); ++count) {
    const std::size_t open = std::min(text.find('('), text.size());
    std::string_view name = trim(text.substr(0, open));
    name = name.substr(name.find_last_of(" \t\r\n)") + 1);
    text.remove_prefix(std::min(open + 1, text.size()));
    const std::string call = lower_case(name);
    if (call != "file" && call != "configure_file") continue;
    std::vector<SeenWord> words = take_arguments(text, variable);
    if (call != "file") words.insert(words.begin(), {"COPY_FILE"});
    add_file_call(std::move(words), found);
  }
}

}  // namespace talaria::guard
