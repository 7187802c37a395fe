// Result<T>: a value or an Error. An Error has a kind, for code that branches, and a message for a
// person or an agent: what failed, why, and what to do if that is known. A command that fails is
// not an Error; it is a result like any other.
#pragma once

#include <cerrno>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

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
std::string_view kind_name(ErrorKind kind);

class Error {
 public:
  Error(ErrorKind kind, std::string message, int code = 0)
      : kind_(kind), message_(std::move(message)), code_(code) {}

  // "<attempt>: <strerror(code)>", of kind system.
  static Error from_errno(std::string_view attempt, int code = errno);

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  int code() const { return code_; }  // the errno it comes from; 0 if from none

 private:
  ErrorKind kind_;
  std::string message_;
  int code_;
};

template <class T>
using Result = std::expected<T, Error>;

}  // namespace talaria
