#include "modal/call_result.h"

#include <array>
#include <cstddef>

#include <boost/json/object.hpp>

#include "json/json_text.h"

namespace talaria::modal {
namespace {

constexpr std::array<std::string_view, 17> kNames{
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
};

}  // namespace

std::string_view status_name(int code) {
  const bool known = code >= 0 && static_cast<std::size_t>(code) < kNames.size();
  return known ? kNames[static_cast<std::size_t>(code)] : "UNKNOWN";
}

ErrorKind kind_of_status(int code) {
  switch (code) {
    case status::kInvalidArgument:
    case status::kFailedPrecondition:
    case status::kOutOfRange:
    case status::kAlreadyExists:
      return ErrorKind::bad_request;
    case status::kNotFound:
      return ErrorKind::not_found;
    case status::kUnauthenticated:
    case status::kPermissionDenied:
      return ErrorKind::denied;
    case status::kResourceExhausted:
      return ErrorKind::limit;
    case status::kDeadlineExceeded:
      return ErrorKind::timed_out;
    default:
      return ErrorKind::unavailable;
  }
}

std::string failure_line(const CallFailure& failure) {
  json::object error{{"kind", kind_name(failure.kind)},
                     {"call", failure.call},
                     {"status", failure.status},
                     {"message", failure.message}};
  return to_line(json::object{{"error", std::move(error)}});
}

std::string message_of(const CallFailure& failure) {
  std::string text;
  for (const std::string* part : {&failure.call, &failure.status, &failure.message}) {
    if (part->empty()) continue;
    if (!text.empty()) text += ": ";
    text += *part;
  }
  return text;
}

}  // namespace talaria::modal
