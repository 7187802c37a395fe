#include "policy/guard/rules/sql_text.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace talaria::guard {
namespace {

// What an option of a client says: --execute=TEXT, -eTEXT; else the word itself.
std::string_view option_text(std::string_view word) {
  const std::size_t name = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-");
  if (word.starts_with("--") && name != std::string_view::npos && word[name] == '=') {
    return word.substr(name + 1);
  }
  const bool letter = word.size() > 2 && word[0] == '-' && word[1] != '-';
  return letter ? word.substr(2) : word;
}

}  // namespace

bool is_test_database(const Arguments& arguments) {
  bool test = false;
  for (std::size_t i = 1; i < arguments.command.words.size(); ++i) {
    const std::string_view word = arguments.command.word(i);
    if (word.contains("prod")) return false;
    const bool name = !word.contains(' ') && !word.contains('.') && !word.contains(';');
    test = test || (name && (word.ends_with("_test") || word.ends_with("-test") ||
                             word.starts_with("test_") || word == "test"));
  }
  return test;
}

bool is_scratch_database(const Arguments& arguments) {
  if (is_test_database(arguments)) return true;
  if (!among(arguments.command.program, "sqlite3 sqlite duckdb")) return false;
  const std::string_view file = arguments.verb(0);
  return file == ":memory:" ||
         arguments.paths.is_temporary(arguments.resolved({std::string(file)}).text);
}

bool any_sql_line(const Arguments& arguments, const SqlTest& test) {
  if (is_scratch_database(arguments)) return false;
  const auto in_text = [&](std::string_view text) {
    if (text.size() > 256 * 1024) text = text.substr(0, 256 * 1024);
    std::vector<std::string> words;      // of the line
    std::vector<std::string> statement;  // of the lines before it
    const std::string lower = lower_case(text);
    std::string word;
    bool comment = false;
    const bool runs_texts = lower.contains("execute ");  // execute 'drop table x'
    for (std::size_t i = 0; i <= lower.size(); ++i) {
      const char c = i < lower.size() ? lower[i] : '\n';
      if (c == '-' && i + 1 < lower.size() && lower[i + 1] == '-') comment = true;
      if (c == '\'' && !comment &&
          !runs_texts) {  // a string in one statement of one line is only text
        const std::size_t end = lower.find_first_of("';\n", i + 1);
        if (end != std::string::npos && lower[end] == '\'') i = end;
        continue;
      }
      if (!comment && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')) {
        word += c;
        continue;
      }
      if (!word.empty()) words.push_back(std::exchange(word, {}));
      if (c != '\n' && c != ';') continue;
      if (!words.empty() && test(words)) return true;
      const bool more = !statement.empty();
      std::ranges::move(words, std::back_inserter(statement));
      words.clear();
      if (c == '\n') comment = false;
      if (c == '\n' && i < lower.size()) continue;
      if (more && test(statement)) return true;
      statement.clear();
    }
    return false;
  };
  if (arguments.any_word([&](std::string_view word) { return in_text(option_text(word)); })) {
    return true;
  }
  const auto reads = [&](const SeenInput& input) { return input.text && in_text(*input.text); };
  return reads(arguments.command.input) || std::ranges::any_of(arguments.command.processes, reads);
}

bool has_pair(const std::vector<std::string>& words, std::string_view first,
              std::string_view second) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == first && among(words[i + 1], second)) return true;
  }
  return false;
}

}  // namespace talaria::guard
