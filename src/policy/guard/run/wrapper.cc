#include "policy/guard/run/wrapper.h"

#include <algorithm>

#include "policy/guard/run/seen_command.h"
#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using WordViews = std::span<const std::string_view>;

bool is_number_or_machine(std::string_view word) {
  return word.contains(kUnknownPiece) ||  // $(uname -m)
         word.find_first_not_of("0123456789") == std::string_view::npos ||
         among(word,
               "linux32 linux64 x86_64 i386 i486 i586 i686 athlon aarch64 arm armv7l armv8l "
               "ppc ppc64 ppc64le s390 s390x mips mips64 riscv64 uname26");
}

OptionValues values_of(const Wrapper& wrapper) {
  return {wrapper.short_values, wrapper.long_values, wrapper.pair_values, wrapper.only_looks};
}

// Where the sub-command stands, if it is one that runs something.
std::size_t behind_verb(const Wrapper& wrapper, WordViews words) {
  const std::size_t at = behind_options(words, 1, values_of(wrapper));
  return at < words.size() && among(words[at], wrapper.verbs) ? at + 1 : words.size();
}

}  // namespace

const Wrapper* find_wrapper(std::string_view program) {
  static const NameIndex<Wrapper> index(kWrappers, &Wrapper::name);
  if (const auto found = index.find(program); !found.empty()) return found.front();
  if (!program.starts_with("ld-") && !program.starts_with("qemu-")) return nullptr;
  for (std::string name(program); !name.empty(); name.pop_back()) {  // ld-linux*
    if (const auto found = index.find(name + '*'); !found.empty()) return found.front();
  }
  return nullptr;
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 && is_name_start(word.front()) &&
         std::ranges::all_of(word.substr(0, equals), is_name_char);
}

bool is_long_option(std::string_view name, std::string_view list) {
  if (name.empty()) return false;
  while (!list.empty()) {
    if (next_word(list).starts_with(name)) return true;
  }
  return false;
}

std::size_t behind_options(WordViews words, std::size_t at, const OptionValues& values,
                           bool assignments) {
  for (; at < words.size(); ++at) {
    const std::string_view word = words[at];
    if (word == "--") return at + 1;
    if (word.starts_with("--")) {
      if (!values.looks.empty() && among(word, "--list --validate --edit --version")) {
        return words.size();
      }
      if (word.contains('=')) continue;
      if (among(word.substr(2), values.pairs)) {
        at += 2;
      } else if (is_long_option(word.substr(2), values.names)) {
        ++at;
      }
    } else if (word.size() > 1 && word.front() == '-') {
      const std::size_t letter = std::min(word.find_first_of(values.letters, 1), word.size());
      if (word.substr(0, letter).find_first_of(values.looks, 1) != std::string_view::npos) {
        return words.size();
      }
      if (letter + 1 == word.size()) ++at;
    } else if (!(assignments && is_assignment(word))) {
      return at;
    }
  }
  return at;
}

std::size_t wrapped_at(const Wrapper& wrapper, WordViews words) {
  std::size_t at = wrapper.verbs.empty() ? 1 : behind_verb(wrapper, words);
  if (wrapper.is(kDashes)) {
    const auto dashes = std::ranges::find(words, "--");
    if (at < words.size() && dashes != words.end()) {
      return static_cast<std::size_t>(dashes - words.begin()) + 1;
    }
  }
  const bool assignments = wrapper.is(kAssignments);
  at = behind_options(words, at, values_of(wrapper), assignments);
  // -- may be followed by assignments, too
  while (assignments && at < words.size() && is_assignment(words[at])) ++at;
  if (wrapper.is(kMayLack) && at < words.size() && !is_number_or_machine(words[at])) return at;
  at += wrapper.operands;
  // more options, or `--`, behind the words of its own
  const bool more = wrapper.operands > 0 && at < words.size() && words[at].starts_with('-');
  return more ? behind_options(words, at, values_of(wrapper)) : at;
}

}  // namespace talaria::guard
