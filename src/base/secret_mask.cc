#include "base/secret_mask.h"

#include <algorithm>
#include <utility>

namespace talaria {
namespace {

// How many bytes at the end of `text` a beginning of `word` may be, but not all of it.
std::size_t begun_at_end(std::string_view text, std::string_view word) {
  std::size_t size = std::min(text.size(), word.size() - 1);
  while (!text.ends_with(word.substr(0, size))) --size;
  return size;
}

}  // namespace

std::string SecretMask::feed(std::string_view bytes) {
  const std::string_view secret = secret_.view();
  if (secret.size() < kShortestMasked) return std::string(bytes);
  const std::string text = std::exchange(held_, {}).append(bytes);
  std::string shown;
  std::size_t at = 0;
  for (std::size_t found = text.find(secret); found != std::string::npos;
       found = text.find(secret, at)) {
    shown.append(text, at, found - at).append(kMaskedSecret);
    at = found + secret.size();
  }
  const std::string_view left = std::string_view(text).substr(at);
  const std::size_t held = begun_at_end(left, secret);
  shown.append(left.substr(0, left.size() - held));
  held_ = left.substr(left.size() - held);
  return shown;
}

std::string SecretMask::rest() { return std::exchange(held_, {}); }

std::string without_secret(const Secret& secret, std::string_view text) {
  SecretMask mask(secret);
  std::string shown = mask.feed(text);
  return shown.append(mask.rest());
}

}  // namespace talaria
