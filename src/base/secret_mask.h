// SecretMask: takes one secret out of a stream of bytes, however that is cut into pieces. A short
// secret is left alone: it would be everywhere, and the masked places would reveal it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/secret.h"

namespace talaria {

inline constexpr std::size_t kShortestMasked = 4;
inline constexpr std::string_view kMaskedSecret = "***";

class SecretMask {
 public:
  explicit SecretMask(Secret secret) : secret_(std::move(secret)) {}

  // What may be shown now. An end that may be the beginning of the secret is held back.
  std::string feed(std::string_view bytes);
  // What was held back: no more comes.
  std::string rest();

 private:
  Secret secret_;
  std::string held_;
};

// The same for a text that is all there.
std::string without_secret(const Secret& secret, std::string_view text);

}  // namespace talaria
