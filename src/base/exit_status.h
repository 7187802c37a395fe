// How a process ended: a value, not an error. A command that fails is data.
#pragma once

#include <variant>

namespace talaria {

struct Exited {
  int code = 0;
  bool operator==(const Exited&) const = default;
};

struct Signaled {
  int signal = 0;
  bool operator==(const Signaled&) const = default;
};

using ExitStatus = std::variant<Exited, Signaled>;

// The one number every interface of ours shows: the exit code, or -N for death by signal N.
inline int exit_code_of(const ExitStatus& status) {
  if (const auto* killed = std::get_if<Signaled>(&status)) return -killed->signal;
  return std::get<Exited>(status).code;
}

}  // namespace talaria
