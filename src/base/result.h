// Result<T> and Error (talaria/error.h), and the short way to fail. An exception means a bug of
// ours; only a front end or the public interface catches one.
#pragma once

#include <talaria/error.h>

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace talaria {

// The reverse of kind_name(); an unknown word (from a newer peer) is `system`.
ErrorKind kind_from_name(std::string_view name);

inline std::unexpected<Error> fail(Error error) { return std::unexpected<Error>(std::move(error)); }
inline std::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return std::unexpected<Error>(Error(kind, std::move(message)));
}

}  // namespace talaria
