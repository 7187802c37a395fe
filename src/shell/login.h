// Login: what a login shell would read when a person sits down at this machine, as a text for bash,
// and what its trace shows about the files that were read. No I/O.
//
// The shell traces itself while it reads them, so that the state can be used again for as long as
// those files stay as they are; rc files lead to others in ways only bash can follow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shell/state.h"

namespace talaria::shell {

struct LoginPlan {
  std::string home;
  std::vector<std::string> more_files;  // absolute, read after those of every login

  bool operator==(const LoginPlan&) const = default;
};

// What is read after the login files when nobody says otherwise.
std::vector<std::string> usual_init_files(const std::string& home);

// "~/x", "$NAME/x" and "${NAME}/x" as a shell reads them; relative ones are below `home`.
std::string expand_init_file(std::string_view path, const std::string& home,
                             const NameMap& variables);

// The variable that says, by the nonce in it, that the files were read to the end.
inline constexpr std::string_view kLoginDone = "TALARIA_LOGIN_DONE";

struct LoginScript {
  std::string nonce;       // marks our lines in the trace, and that the end was reached
  std::string trace_path;  // where the trace goes
};

// /etc/profile, the first of ~/.bash_profile, ~/.bash_login and ~/.profile, then `more_files`, each
// once. A file that fails does not keep the next from being read.
std::string login_text(const LoginPlan& plan, const LoginScript& script);

struct LoginTrace {
  std::vector<std::string> read;        // files that were sourced, absolute, each once
  std::vector<std::string> looked_for;  // paths that were tested for, likewise
  std::string last;                     // of the sourced ones the last that did something
  bool whole = false;                   // nobody switched it off before the end
};

LoginTrace parse_trace(std::string_view trace, std::string_view nonce);

struct LoginChange {
  SessionState state;        // for sessions to begin with
  bool reached_end = false;  // false: a file ended the shell
};

// What the login files changed between `before` and `after`, without what belongs to the login
// itself (its directory, our own marks) and without the `withheld` names (name_patterns.h).
LoginChange login_change(const ShellState& before, ShellState after, std::string_view nonce,
                         const std::vector<std::string>& withheld);

// A login often sets PATH anew. Nothing the caller had in it is lost and its order stays: what the
// login put in front of the first common entry goes in front, the rest behind. No entry twice.
std::string login_path(std::string_view login, std::string_view caller);

// The words in `text` that could be names of variables, as hashes (hash_text): a file may hold
// secrets.
void collect_names(std::string_view text, std::vector<std::uint64_t>& names);

}  // namespace talaria::shell
