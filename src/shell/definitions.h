// What a session makes of a command: the meaning of its words (aliases and functions), the values
// of its variables, and where it starts. Both ends of a link compute the same: the runner from what
// the session has, a controller from what the runner reported.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/state.h"

namespace talaria::shell {

// Begins the value of a variable of which only a digest is reported.
inline constexpr std::string_view kDigestMark = "sha256 ";

struct SessionDefinitions {
  NameMap aliases;    // name to text
  NameMap functions;  // name to text, as `declare -f` prints it
  NameMap variables;  // name to value, of those it exports
  // Where a command starts, from the root and without links; empty: not known.
  std::string directory = {};

  bool empty() const { return *this == SessionDefinitions(); }
  bool operator==(const SessionDefinitions&) const = default;
};

// What a command was judged with, so that it is started only if that is so in its session.
struct JudgedStart {
  std::vector<std::string> words;      // that name commands in it; each once
  std::string definitions;             // digest_of_texts() of what they mean; empty: nothing
  std::vector<std::string> variables;  // whose values it depends on; each once
  bool uses_directory = false;         // it depends on where it starts
  std::string facts;                   // digest_of_facts() of those; empty: none
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

// Of its aliases and functions. Empty for none.
std::string digest_of_texts(const SessionDefinitions& definitions);
// Of its variables and its directory. Empty for none.
std::string digest_of_facts(const SessionDefinitions& definitions);

// Fills in what `judged` depends on, as `known` has it.
void judge_by(const SessionDefinitions& known, JudgedStart& judged);

}  // namespace talaria::shell
