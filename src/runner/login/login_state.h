// LoginState: what reading the login files once has brought, and what it came from, so that it can
// be known when they must be read again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "link/messages.h"
#include "runner/login/file_stamp.h"
#include "runner/shell/shell_host.h"
#include "shell/login.h"
#include "shell/state.h"

namespace talaria::runner {

struct LoginQuestion {
  shell::LoginPlan plan;
  shell::NameMap caller;              // the environment it is asked with
  std::vector<std::string> withheld;  // names that no session gets from a file

  bool operator==(const LoginQuestion&) const = default;
};

struct LoginState {
  std::string id;
  shell::SessionState state;
  std::uint64_t question = 0;        // hash of the plan and the withheld names
  std::uint64_t environment = 0;     // hash of those of the caller's variables that count
  std::vector<std::uint64_t> names;  // which count: hashes of those the files mention; sorted
  std::vector<FileStamp> files;      // what was read or looked for
  std::vector<std::string> notices;
  std::int64_t good_until_ns = 0;  // by file_clock(): not all that counts can be seen
  bool lasting = true;             // false: good enough for now, to be found out again later

  // Whether reading the files again now would bring the same.
  bool answers(const LoginQuestion& asked) const;
  // Whether the files are still as they were.
  bool is_current() const;
};

// Fills in what `state` came from: the question, the files of the trace as they are now, the names
// they mention. A file that was changed after `started` (file_clock()) may have been read before
// it was, so it counts as changed ever after.
void note_origin(LoginState& state, const LoginQuestion& question, const shell::LoginTrace& trace,
                 std::int64_t started);

// The bytes of its file: a protobuf message (the field numbers are in the .cc).
std::string encode_login(const LoginState& state);
Result<LoginState> decode_login(std::string_view bytes);

// The question of a Login request, checked, with the names of its files as this target has them.
Result<LoginQuestion> login_question(const link::Login& request, shell::NameMap caller,
                                     ShellKind shell);

}  // namespace talaria::runner
