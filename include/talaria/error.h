// Result<T>: how a call that can fail says so. An Error holds what kind of failure it was (kind,
// for code that branches) and what was being attempted, why it failed and, where we know it, what
// to do (message, for the person or agent who reads it). A command that fails is no Error: it is a
// result like any other.
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
  interrupted,  // the caller gave the call up
  unavailable,  // the target cannot be reached or refused the link; nothing was started
  runner_lost,  // the runner is gone or silent, and the call may have been under way
  limit,        // a named bound was reached; the message says which
  system,       // the kernel said no; the message holds the call and its errno
};

// The word for a kind on every interface of ours ("bad_request", "runner_lost", ...).
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
