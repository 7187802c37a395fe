// A question about a command, as the store has it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace talaria::host {

// Their numbers are in the database.
enum class ApprovalState {
  open = 0,
  answered = 1,
  expired = 2,  // nobody answered, or the caller is gone
  used = 3,     // the answer came while nobody waited, and has been acted on since
};

struct StoredApproval {
  std::string id;
  std::string session_key;
  std::string task;
  std::string command;  // all of it
  std::string description;
  std::vector<std::string> rules;  // keys, the weightiest first
  std::string target;
  std::string cwd;
  bool permanent = true;  // may be allowed for good
  std::string machine;    // where its caller waits (this_boot()); empty: nobody waits
  std::int64_t pid = 0;   // of the caller
  std::chrono::system_clock::time_point created;
  std::chrono::system_clock::time_point expires;
  ApprovalState state = ApprovalState::open;
  std::string choice;    // once, session, always or deny; empty: none
  std::string answerer;  // for people
};

}  // namespace talaria::host
