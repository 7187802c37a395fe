// Commands: what the words, redirections and assignments of a simple command become, and which
// alias it is.
#pragma once

#include <string>
#include <vector>

#include "policy/guard/run/seen_command.h"
#include "policy/guard/run/situation.h"

namespace talaria::guard {

struct Walk;

class Commands {
 public:
  explicit Commands(Walk& walk) : walk_(walk) {}

  void run(const ShellCommand& command);
  // Also of a compound command: where they lead, for what is in it.
  void expand_redirects(const ShellCommand& command, SeenCommand& seen);
  // <(…) was met while words are expanded.
  void meet_process(const PartDetail& detail);
  // The word that is expanded names what runs, or is assigned.
  bool naming() const { return naming_; }
  Kept<bool> name_nothing() { return {naming_, false}; }

 private:
  SeenCommand expand(const ShellCommand& command);
  void redirect_input(const ShellRedirect& redirect, const SeenWord& target, bool process,
                      SeenCommand& seen);
  void assign(const ShellAssignment& assignment);
  template <class RunIt>
  void assign_all(const ShellCommand& command, const std::vector<SeenCommand>& possible,
                  const RunIt& run_it);
  void note_variables(const ShellCommand& command, std::vector<SeenCommand>& possible);
  void run_possible(const ShellCommand& command, const SeenCommand& seen);
  void run_alias(const ShellCommand& command, const SeenCommand& seen, std::string text);
  std::vector<std::string> aliases(const ShellCommand& command, std::size_t at, bool& plain) const;
  Situation::Status status_of(const ShellCommand& command, const SeenCommand& seen);

  Walk& walk_;
  bool naming_ = false;
  std::vector<SeenInput> processes_;  // met while its words were expanded
  std::vector<std::string> aliases_in_use_;
  const ShellCommand* alias_end_ = nullptr;  // gets the words that follow the alias
  std::vector<SeenWord> alias_words_;
};

}  // namespace talaria::guard
