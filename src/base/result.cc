#include "base/result.h"

#include <array>
#include <cstring>

namespace talaria {
namespace {

constexpr auto kKindNames = std::to_array<std::pair<ErrorKind, std::string_view>>({
    {ErrorKind::bad_request, "bad_request"},
    {ErrorKind::not_found, "not_found"},
    {ErrorKind::denied, "denied"},
    {ErrorKind::timed_out, "timed_out"},
    {ErrorKind::interrupted, "interrupted"},
    {ErrorKind::unavailable, "unavailable"},
    {ErrorKind::runner_lost, "runner_lost"},
    {ErrorKind::limit, "limit"},
    {ErrorKind::system, "system"},
});

constexpr auto kReasonNames = std::to_array<std::pair<ErrorReason, std::string_view>>({
    {ErrorReason::none, "none"},
    {ErrorReason::option, "option"},
    {ErrorReason::setting, "setting"},
    {ErrorReason::callback_thread, "callback_thread"},
    {ErrorReason::closed, "closed"},
    {ErrorReason::forked, "forked"},
    {ErrorReason::other_version, "other_version"},
    {ErrorReason::never_allowed, "never_allowed"},
    {ErrorReason::forbidden, "forbidden"},
    {ErrorReason::declined, "declined"},
    {ErrorReason::no_answer, "no_answer"},
    {ErrorReason::not_asked, "not_asked"},
    {ErrorReason::pending, "pending"},
});

}  // namespace

std::string_view reason_name(ErrorReason reason) {
  for (const auto& [entry, name] : kReasonNames) {
    if (entry == reason) return name;
  }
  return "none";
}

std::string_view kind_name(ErrorKind kind) {
  for (const auto& [entry, name] : kKindNames) {
    if (entry == kind) return name;
  }
  return "system";
}

ErrorKind kind_from_name(std::string_view name) {
  for (const auto& [kind, entry] : kKindNames) {
    if (entry == name) return kind;
  }
  return ErrorKind::system;
}

std::string exception_text(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "an unknown exception";
  }
}

Error Error::from_errno(std::string_view attempt, int code) {
  return Error(ErrorKind::system, std::string(attempt) + ": " + std::strerror(code), code);
}

}  // namespace talaria
