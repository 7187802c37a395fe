// What words of a command mean by the session's own say: its aliases and functions. Both ends of a
// link compute the same: the runner from what the session has, a controller from what the runner
// reported.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/state.h"

namespace talaria::shell {

struct SessionDefinitions {
  NameMap aliases;    // name to text
  NameMap functions;  // name to text, as `declare -f` prints it
  NameMap variables;  // name to value, of those it exports

  bool empty() const { return aliases.empty() && functions.empty() && variables.empty(); }
  bool operator==(const SessionDefinitions&) const = default;
};

// What a command was judged with.
struct JudgedWords {
  std::vector<std::string> words;  // that name commands in it; each once
  std::string digest;              // digest_of() what they mean; empty: nothing
};

// Words of bash's grammar: an alias of one counts wherever it stands, though it names no command.
bool is_reserved_word(std::string_view word);

// Runs in place of a command that is not there.
inline constexpr std::string_view kNotFoundHandler = "command_not_found_handle";

// Adds what `name` means, if it means anything.
using FindDefinition = std::function<void(std::string_view name, SessionDefinitions& to)>;
FindDefinition find_in(const SessionDefinitions& definitions);  // which outlive it

// What `words` mean, what the texts of those mention, and so on; and what counts for every command.
// A text that is too long stands there as one that cannot be read.
SessionDefinitions reach(const std::vector<std::string>& words, const FindDefinition& find);

// Empty for none.
std::string digest_of(const SessionDefinitions& definitions);

}  // namespace talaria::shell
