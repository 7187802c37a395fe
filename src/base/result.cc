#include "base/result.h"

#include <array>
#include <cstring>

namespace talaria {
namespace {

struct KindName {
  ErrorKind kind;
  std::string_view name;
};

constexpr std::array kKindNames{
    KindName{ErrorKind::bad_request, "bad_request"},
    KindName{ErrorKind::not_found, "not_found"},
    KindName{ErrorKind::denied, "denied"},
    KindName{ErrorKind::timed_out, "timed_out"},
    KindName{ErrorKind::interrupted, "interrupted"},
    KindName{ErrorKind::unavailable, "unavailable"},
    KindName{ErrorKind::runner_lost, "runner_lost"},
    KindName{ErrorKind::limit, "limit"},
    KindName{ErrorKind::system, "system"},
};

}  // namespace

std::string_view kind_name(ErrorKind kind) {
  for (const KindName& entry : kKindNames) {
    if (entry.kind == kind) return entry.name;
  }
  return "system";
}

ErrorKind kind_from_name(std::string_view name) {
  for (const KindName& entry : kKindNames) {
    if (entry.name == name) return entry.kind;
  }
  return ErrorKind::system;
}

Error Error::from_errno(std::string_view attempt, int code) {
  return Error(ErrorKind::system, std::string(attempt) + ": " + std::strerror(code), code);
}

}  // namespace talaria
