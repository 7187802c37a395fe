#include "policy/approval/guard_judge.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace talaria {
namespace {

Judgement concern(RuleClass rule_class, const char* key) {
  const bool never = rule_class == RuleClass::hardline || rule_class == RuleClass::sudo_stdin;
  return {.answer = never ? Answer::deny : Answer::ask,
          .concerns = {{.rule_class = rule_class, .key = key, .description = key}}};
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::string_view word = next_word(text);
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

// TODO(guard): stands in for the guard's judge(), and knows three rules by the look of the text.
Judgement judge_by_words(const JudgedCommand& judged) {
  const std::vector<std::string_view> words = words_of(trim(judged.command));
  if (words.size() < 2) return {};
  if (words[0] == "sudo" && words[1] == "-S") {
    return concern(RuleClass::sudo_stdin, "sudo password guessing via stdin (sudo -S)");
  }
  const bool recursive = words[0] == "rm" && words[1].starts_with('-') && words[1].contains('r');
  if (!recursive) return {};
  if (std::ranges::find(words, "/") != words.end()) {
    return concern(RuleClass::hardline, "recursive delete of root filesystem");
  }
  return concern(RuleClass::dangerous, "recursive delete");
}

}  // namespace

Judge guard_judge() { return judge_by_words; }

}  // namespace talaria
