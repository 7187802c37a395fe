// The command line of talaria-modal.
#pragma once

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace talaria::modal {

struct CreateVerb {};  // what to create is on standard input
struct FindVerb {
  std::string app;
  std::string name;
};
struct LookVerb {
  std::string sandbox;
};
struct ExecVerb {
  std::string sandbox;
  std::vector<std::string> command;
};
struct SnapshotVerb {
  std::string sandbox;
  std::chrono::seconds ttl{2592000};
  std::chrono::seconds limit{60};
};
struct TerminateVerb {
  std::string sandbox;
  std::chrono::seconds limit{15};
};
struct VersionVerb {};

using Verb = std::variant<CreateVerb, FindVerb, LookVerb, ExecVerb, SnapshotVerb, TerminateVerb,
                          VersionVerb>;

Result<Verb> parse_verb(const std::vector<std::string>& arguments);

}  // namespace talaria::modal
