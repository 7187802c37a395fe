// Result<T>: a value or an Error. An Error has a kind and a reason, for code that branches, and a
// message for a person or an agent: what failed, why, and what to do if that is known. A command
// that fails is not an Error; it is a result like any other.
#pragma once

#include <talaria/export.h>

#include <cerrno>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talaria {

enum class ErrorKind {
  bad_request,  // the caller's input is wrong; the same call fails again
  not_found,    // what the call names does not exist
  denied,       // policy or permissions forbid it
  timed_out,    // a deadline of ours passed
  interrupted,  // the caller cancelled the call
  unavailable,  // the target cannot be reached or refused the link; nothing was started
  runner_lost,  // the runner is gone or silent; the call may have been running
  limit,        // a limit was reached; the message names it
  system,       // a system call failed; the message has the call and its errno
};

// "bad_request", "runner_lost", ..., on every interface.
TALARIA_API std::string_view kind_name(ErrorKind kind);

// More than the kind, where a program may want to do something about it. New ones may be added.
enum class ErrorReason {
  none,  // the kind says enough
  // bad_request
  option,           // a member of Options; the message names it
  setting,          // a setting, wherever it is set; the message names it and the place
  callback_thread,  // a call that waits was made on the thread that it would wait for
  // interrupted
  closed,  // the runtime is being destroyed, or was
  // unavailable
  forked,         // the runtime belongs to the parent of this process
  other_version,  // these headers do not belong to the library
  // denied; Error::denial() says more
  never_allowed,  // by the hardline list: no setting and no approval allows it
  forbidden,      // by a rule or a mode of the configuration
  declined,       // by a person, or by a program that judges commands
  no_answer,      // a person was asked and did not answer in time
  not_asked,      // a person could not be asked
  pending,        // a person is asked; make the call again when it is answered
};

// "option", "never_allowed", ...
TALARIA_API std::string_view reason_name(ErrorReason reason);

// Who refused a command, and why.
struct Denial {
  enum class By { hardline, configuration, person, program, nobody };
  By by = By::nobody;
  std::string rule = {};                // the most important one that it matched; empty: none
  std::vector<std::string> rules = {};  // all of them
  std::string description = {};         // what is dangerous about it
  std::string approval = {};            // the id of the question, if one was put
  std::string words = {};               // what the person who declined wrote to it
};

class TALARIA_API Error {
 public:
  Error(ErrorKind kind, std::string message, int code = 0)
      : kind_(kind), message_(std::move(message)), code_(code) {}
  Error(ErrorReason reason, ErrorKind kind, std::string message)
      : kind_(kind), message_(std::move(message)), reason_(reason) {}
  Error(ErrorReason reason, Denial denial, std::string message)
      : kind_(ErrorKind::denied),
        message_(std::move(message)),
        reason_(reason),
        denial_(std::make_shared<const Denial>(std::move(denial))) {}

  // "<attempt>: <strerror(code)>", of kind system.
  static Error from_errno(std::string_view attempt, int code = errno);

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  int code() const { return code_; }  // the errno it comes from; 0 if from none
  ErrorReason reason() const { return reason_; }
  // Of a command that policy refused; else null. It lives as long as the error.
  const Denial* denial() const { return denial_.get(); }

 private:
  ErrorKind kind_;
  std::string message_;
  int code_ = 0;
  ErrorReason reason_ = ErrorReason::none;
  std::shared_ptr<const Denial> denial_;
};

template <class T>
using Result = std::expected<T, Error>;

}  // namespace talaria
