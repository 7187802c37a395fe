// Result<T> and Error (talaria/error.h), and the short way to fail. An exception means a bug of
// ours; only a front end or the public interface catches one.
#pragma once

#include <talaria/error.h>

#include <exception>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace talaria {

// The reverse of kind_name(); an unknown name (from a newer peer) is `system`.
ErrorKind kind_from_name(std::string_view name);

// What an exception says, for the few places that catch one.
std::string exception_text(const std::exception_ptr& thrown);

inline std::unexpected<Error> fail(Error error) { return std::unexpected<Error>(std::move(error)); }
inline std::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return std::unexpected<Error>(Error(kind, std::move(message)));
}

}  // namespace talaria
