// A question about a command, as the store has it.
#pragma once

#include <talaria/approval.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace talaria::host {

// Their numbers are in the database.
enum class ApprovalState {
  open = 0,
  answered = 1,  // and nobody has acted on it yet
  expired = 2,   // nobody answered in time, or the call was given up
  used = 3,      // it was answered, and the answer has been acted on
};

struct StoredApproval {
  std::string id;
  std::string session_key;
  std::string task;
  std::string command;  // all of it
  std::vector<ApprovalDetail> details;
  std::string description;
  std::vector<std::string> rules;  // keys, the weightiest first
  std::string target;
  std::string cwd;
  bool permanent = true;  // may be allowed for good
  std::string machine;    // where its caller waits (boot_id()); empty: nobody waits
  std::int64_t pid = 0;   // of the program that asks
  std::chrono::system_clock::time_point created;
  std::chrono::system_clock::time_point expires;
  ApprovalState state = ApprovalState::open;
  std::string choice;    // once, session, always or deny; empty: none
  std::string answerer;  // for people
  // With session and always: what it covers, one of the offers ("": the first), and for how long
  // (0: no end).
  std::string covers;
  std::chrono::seconds lasts{0};
  std::vector<GrantOffer> offers;
  std::vector<std::string> notices;
  std::string digest;             // ApprovalRequest::digest
  std::string asker_boot;         // the boot of the machine of that program, and its start time
  std::uint64_t asker_start = 0;  // (os/proc.h)
  std::string words = {};         // with deny: for the caller of the command
};

}  // namespace talaria::host
