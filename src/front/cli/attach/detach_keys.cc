#include "front/cli/attach/detach_keys.h"

#include <optional>

#include "base/text.h"

namespace talaria::front::cli {
namespace {

constexpr std::string_view kControl = "ctrl-";

// The byte that the key sends.
std::optional<char> byte_of(std::string_view key) {
  if (key.size() == 1 && key[0] > ' ' && key[0] < 0x7F) return key[0];
  if (!key.starts_with(kControl) || key.size() != kControl.size() + 1) return std::nullopt;
  const char letter = key.back();
  if (letter >= 'a' && letter <= 'z') return static_cast<char>(letter - 'a' + 1);
  if (std::string_view("@[\\]^_").contains(letter)) return static_cast<char>(letter & 0x1F);
  return std::nullopt;
}

}  // namespace

Result<DetachKeys> DetachKeys::parse(std::string_view text) {
  if (text == "none") return DetachKeys("");
  std::string sequence;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view key = next_word(rest, ',');
    const auto byte = byte_of(key);
    if (!byte) {
      return fail(ErrorKind::bad_request,
                  "--detach-keys: '" + std::string(key) +
                      "' is not a key; expected characters, or ctrl- and a letter or a sign such "
                      "as ], separated by commas (" +
                      std::string(kDefault) + "), or none");
    }
    sequence += *byte;
  }
  if (sequence.empty()) return fail(ErrorKind::bad_request, "--detach-keys: KEYS is required");
  return DetachKeys(std::move(sequence));
}

DetachKeys::Typed DetachKeys::feed(std::string_view bytes) {
  Typed typed;
  if (sequence_.empty()) return {.keys = std::string(bytes)};
  for (const char byte : bytes) {
    std::string held = sequence_.substr(0, matched_) + byte;
    // Keys that cannot begin the sequence are passed on.
    while (!held.empty() && !sequence_.starts_with(held)) {
      typed.keys += held.front();
      held.erase(0, 1);
    }
    matched_ = held.size();
    if (matched_ == sequence_.size()) {
      matched_ = 0;
      typed.detach = true;
      return typed;
    }
  }
  return typed;
}

}  // namespace talaria::front::cli
