// What is to be decided before a command runs, and what was decided.
#pragma once

#include <talaria/approval.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/settings.h"
#include "policy/guard/context.h"
#include "shell/definitions.h"

namespace talaria::policy {

struct CommandQuestion {
  std::string command;
  std::string task;
  std::string call;         // CallContext::id
  host::ConfigPtr config;   // of the task; never null
  std::string session_key;  // who is asking; empty: as the configuration says
  std::string target;
  std::string cwd;                          // where it would run, as far as is known
  guard::StartInput input = {};             // its standard input
  std::vector<std::string> variables = {};  // NAME=value, that its caller chose
  std::optional<std::string> workdir = {};  // of the call: below the session's, or absolute
  bool waits = true;   // for the answer of a person, if the configuration says so
  bool force = false;  // the embedding program vouches for it; what is never allowed stays so
  shell::SessionDefinitions session;  // what its session makes of it, as far as is known
  bool remembered = false;            // which was so once: it may be otherwise by now
  bool can_look = false;              // the session can be looked at before somebody is asked
  shell::JudgedStart looked = {};     // if not remembered: what of the session was looked at
  // What is judged, where `command` only shows it: a script, or what a file tool does as a command.
  std::string judged = {};
  bool script = false;  // `judged` is a program of Python; calls of tools from it are judged alone
  std::vector<ApprovalDetail> details = {};  // what else belongs to it: the content of a file
};

// Of everything that would be started, and of what it means in its session: what an answer, and a
// grant of this very command, is bound to.
std::string digest_of(const CommandQuestion& question, const shell::JudgedStart& start);

// Why it may run, or may not.
enum class Reason {
  // It may:
  harmless,   // no rule speaks against it
  isolated,   // what it breaks stays where it is
  forced,     // the embedding program vouches for it
  yolo,       // of the process or the session
  mode_off,   // approvals.mode
  cron_mode,  // either way
  headless,   // nobody can be asked; either way
  granted,    // for this session, or for good
  user,       // a person said so; either way
  smart,      // a program said so; either way
  // It is not decided:
  unseen,  // somebody would be asked, and the session was not looked at for it
  // It may not:
  hardline,     // never
  sudo_stdin,   // a password would be guessed
  rule,         // of the configuration
  timeout,      // nobody answered in time
  not_asked,    // the question could not be put
  pending,      // it was put, and nobody waits for the answer
  interrupted,  // the call was given up while somebody was asked
};

// For the log: "harmless", "mode off", ...
std::string_view reason_name(Reason reason);

struct Decision {
  bool approved = false;
  Reason reason = Reason::harmless;
  std::string message;               // why not, for the caller
  std::string outcome;               // "denied", "timeout", "notify_failed"; else empty
  std::string description;           // of what speaks against it
  std::vector<std::string> rules;    // their keys
  std::string choice;                // what was answered, if somebody was asked
  std::string id;                    // of the question, if one was put
  std::string words;                 // what the person who declined wrote to it
  std::vector<std::string> notices;  // what else the caller should know
  shell::JudgedStart judged;         // it is valid only if this is so
  bool took_time = false;            // a program or a person was asked: the task may have moved

  std::string_view pattern_key() const { return rules.empty() ? std::string_view() : rules[0]; }
  // What a result says of a command that was looked at; empty: nothing.
  std::string approval_text() const;
};

// For a caller of a command that may not run.
Error refusal(const Decision& decision, std::string message);

}  // namespace talaria::policy
