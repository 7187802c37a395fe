// The command and the input of an exec, if they are too large for a row of the store: as files of
// the home, <home>/talaria/execs/PROCESS.command and .input, from before the row is added until the
// exec has ended. Writing them takes long, so that is not for an event loop.
#pragma once

#include <talaria/sandbox.h>

#include <set>
#include <string>

#include "base/result.h"

namespace talaria::sandboxes {

std::string exec_texts_directory(const std::string& home);

bool has_large_texts(const ExecSpec& spec);

// On the disk when it returns. `process` is the exec's own and was not used before.
Result<void> write_exec_texts(const std::string& directory, const std::string& process,
                              const ExecSpec& spec);
// Into `spec`.
Result<void> read_exec_texts(const std::string& directory, const std::string& process,
                             ExecSpec& spec);
void remove_exec_texts(const std::string& directory, const std::string& process);
// All but those of `processes`: what a gateway left that was killed.
void remove_other_texts(const std::string& directory, const std::set<std::string>& processes);

}  // namespace talaria::sandboxes
