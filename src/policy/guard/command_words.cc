#include "policy/guard/command_words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "policy/guard/syntax/for_each_command.h"
#include "policy/guard/syntax/script_reader.h"

namespace talaria {
namespace {

// Commands that run the rest of their words; with those of their options that have a value.
struct Prefix {
  std::string_view name;
  std::string_view value_options;
};
constexpr std::array kPrefixes{
    Prefix{"env", "uCS"},  Prefix{"exec", "a"},     Prefix{"nohup", ""},
    Prefix{"setsid", ""},  Prefix{"nice", "n"},     Prefix{"ionice", "cnp"},
    Prefix{"command", ""}, Prefix{"stdbuf", "ioe"}, Prefix{"timeout", "ks"},
};

// What it is when nothing of it has to be expanded.
std::optional<std::string> literal(const ShellWord& word) {
  std::string text;
  for (const WordPart& part : word.parts) {
    if (part.kind != WordPart::Kind::text) return std::nullopt;
    text += part.text;
  }
  return text;
}

bool is_plain(const ShellWord& word) {
  return word.parts.size() == 1 && word.parts.front().kind == WordPart::Kind::text &&
         !word.parts.front().quoted && word.parts.front().text.size() == word.end - word.begin;
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 && is_name_start(word.front());
}

// Which word of `words` is the command that `prefix` at `at` runs; their number: none is seen.
std::size_t behind_prefix(const std::vector<ShellWord>& words, std::size_t at,
                          const Prefix& prefix) {
  std::size_t next = at + 1;
  for (; next < words.size(); ++next) {
    const std::optional<std::string> word = literal(words[next]);
    if (!word) return words.size();
    if (word->starts_with("-") && word->size() > 1) {
      const bool valued = word->size() == 2 && prefix.value_options.contains(word->back());
      if (valued) ++next;
    } else if (!(prefix.name == "env" && is_assignment(*word))) {
      break;
    }
  }
  return prefix.name == "timeout" ? next + 1 : next;
}

void add_words(const ShellCommand& command, std::vector<CommandWord>& found) {
  if (command.kind != ShellCommand::Kind::simple) return;
  std::string behind;
  for (std::size_t at = 0; at < command.words.size();) {
    const ShellWord& word = command.words[at];
    const std::string name = literal(word).value_or("");
    found.push_back({word.begin, word.end, name, is_plain(word), behind});
    const auto prefix =
        std::ranges::find_if(kPrefixes, [&](const Prefix& one) { return one.name == name; });
    if (prefix == kPrefixes.end()) return;
    at = behind_prefix(command.words, at, *prefix);
    behind = name;
  }
}

}  // namespace

CommandWords find_command_words(std::string_view text) {
  CommandWords found;
  Script script = read_script(text);
  found.trouble = std::move(script.trouble);
  if (!found.trouble.empty()) return found;
  for_each_command(script.list,
                   [&](const ShellCommand& command) { add_words(command, found.words); });
  std::ranges::sort(found.words, {}, &CommandWord::begin);
  return found;
}

}  // namespace talaria
