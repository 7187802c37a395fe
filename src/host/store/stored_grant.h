// A grant: what a person has allowed beyond one call, as the store has it.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace talaria::host {

struct StoredGrant {
  std::string id;  // "grant_..."
  std::string rule;
  std::string target;
  // Absent: any.
  std::optional<std::string> session_key;
  std::optional<std::string> task;
  std::optional<std::string> directory;  // where the command starts
  std::optional<std::string> digest;     // of the command
  std::string command;                   // with a digest: how it begins, without secrets
  std::chrono::system_clock::time_point granted;
  std::string grantor;                                         // for people
  std::optional<std::chrono::system_clock::time_point> until;  // absent: it does not end
  bool confirmed = true;  // false: of an earlier version; without effect
  bool noticed = false;   // a person was informed of such a one
};

}  // namespace talaria::host
