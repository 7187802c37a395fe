// CallFailure: why a call of the service failed, as the service reports it, or a time limit of
// ours that passed. CallResult<T>: the answer to a call, or that.
#pragma once

#include <talaria/error.h>

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace talaria::modal {

struct CallFailure {
  ErrorKind kind = ErrorKind::unavailable;
  std::string call;    // "SandboxCreateV2"; empty if it was none
  std::string status;  // gRPC's name of it; empty if the failure is ours
  std::string message;
};

template <class T>
using CallResult = std::expected<T, CallFailure>;

inline std::unexpected<CallFailure> failed(CallFailure failure) {
  return std::unexpected<CallFailure>(std::move(failure));
}

// The status codes of gRPC that we branch on; others are only named.
namespace status {
inline constexpr int kOk = 0;
inline constexpr int kCancelled = 1;
inline constexpr int kUnknown = 2;
inline constexpr int kInvalidArgument = 3;
inline constexpr int kDeadlineExceeded = 4;
inline constexpr int kNotFound = 5;
inline constexpr int kAlreadyExists = 6;
inline constexpr int kPermissionDenied = 7;
inline constexpr int kResourceExhausted = 8;
inline constexpr int kFailedPrecondition = 9;
inline constexpr int kOutOfRange = 11;
inline constexpr int kInternal = 13;
inline constexpr int kUnavailable = 14;
inline constexpr int kUnauthenticated = 16;
}  // namespace status

std::string_view status_name(int code);
ErrorKind kind_of_status(int code);

// {"error":{…}}, one line without its end.
std::string failure_line(const CallFailure& failure);
// For people: "TaskExecStart: UNAVAILABLE: message".
std::string message_of(const CallFailure& failure);

}  // namespace talaria::modal
