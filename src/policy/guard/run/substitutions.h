// Substitutions: what $(…) and <(…) run in a shell of their own, and what that prints.
#pragma once

#include <optional>
#include <string>

#include "policy/guard/run/output.h"
#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

struct Walk;

class Substitutions {
 public:
  explicit Substitutions(Walk& walk) : walk_(walk) {}

  // What $(…) prints.
  Printed command(const ShellList& list);
  // What <(…) gives to read; nothing for >(…).
  std::optional<SeenInput> process(const PartDetail& detail);

 private:
  Printed print_apart(const ShellList& list);
  bool names_home(std::size_t first) const;
  std::optional<std::string> choose_text(const ShellList& list, const Output& printed);

  Walk& walk_;
};

}  // namespace talaria::guard
