#include "policy/guard/command_words.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "policy/guard/run/wrapper.h"
#include "policy/guard/syntax/for_each_command.h"
#include "policy/guard/syntax/script_reader.h"

namespace talaria::guard {
namespace {

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

// Which of the words is the command that the wrapper at `at` runs; their number: none is seen.
std::size_t behind_wrapper(const std::vector<ShellWord>& words, std::size_t at,
                           const Wrapper& wrapper) {
  std::vector<std::string> texts;
  for (std::size_t i = at; i < words.size(); ++i) {
    std::optional<std::string> text = literal(words[i]);
    if (!text) break;
    texts.push_back(std::move(*text));
  }
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const std::size_t behind = wrapped_at(wrapper, views);
  // what is only known when it runs may be an option
  return behind < views.size() ? at + behind : words.size();
}

void add_words(const ShellCommand& command, std::vector<CommandWord>& found) {
  if (command.kind != ShellCommand::Kind::simple) return;
  std::string behind;
  for (std::size_t at = 0; at < command.words.size();) {
    const ShellWord& word = command.words[at];
    const std::string name = literal(word).value_or("");
    found.push_back({word.begin, word.end, name, is_plain(word), behind});
    const Wrapper* const wrapper = find_wrapper(name);
    // with another root or environment, what is added for a sudo would not be found
    if (wrapper == nullptr || wrapper->is(kApart) || wrapper->is(kText)) return;
    at = behind_wrapper(command.words, at, *wrapper);
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

}  // namespace talaria::guard
