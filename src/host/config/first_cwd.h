// Where a new session starts, from what TERMINAL_CWD says. On this machine it is the caller's
// directory unless it is set; at a target it must be a directory of the target's, so a path
// that can only mean one of this machine is not used there.
#pragma once

#include <string>
#include <string_view>

#include "host/caller.h"

namespace talaria::host {

struct CwdRequest {
  std::string_view target;
  std::string said;    // empty if nothing was said
  bool mount = false;  // a container is to have the caller's directory
};

struct FirstCwd {
  std::string directory;  // "~" stays as it is where only the target knows its home
  std::string mounted;    // the directory of this machine that is to be there; empty: none
};

// Looks whether a directory is there only if one is to be mounted.
FirstCwd first_cwd(const Caller& caller, const CwdRequest& request);

}  // namespace talaria::host
