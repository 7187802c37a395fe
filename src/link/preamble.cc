#include "link/preamble.h"

#include <algorithm>
#include <cctype>

namespace talaria::link {
namespace {

constexpr std::string_view kWord = "TALARIA-LINK ";
constexpr std::size_t kExcerpt = 400;  // bytes of the end of what was skipped

}  // namespace

std::string preamble_line(std::string_view nonce) {
  return std::string(kWord) + std::string(nonce) + "\n";
}

bool is_valid_nonce(std::string_view nonce) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) != 0; };
  return !nonce.empty() && nonce.size() <= kMaxNonce && std::ranges::all_of(nonce, allowed);
}

Result<bool> PreambleScanner::feed(std::string_view bytes) {
  // The line may have begun in what came before.
  const std::size_t search_from = seen_.size() - std::min(seen_.size(), line_.size() - 1);
  seen_.append(bytes);
  const std::size_t at = seen_.find(line_, search_from);
  if (at <= kMaxPreamble) {  // npos is not
    rest_at_ = at + line_.size();
    return true;
  }
  if (seen_.size() < kMaxPreamble + line_.size()) return false;
  return fail(ErrorKind::unavailable, "no runner answered within " + std::to_string(kMaxPreamble) +
                                          " bytes; the target printed instead: " + excerpt());
}

Error PreambleScanner::ended() const {
  if (seen_.empty()) return Error(ErrorKind::unavailable, "the stream ended before a runner spoke");
  return Error(ErrorKind::unavailable,
               "the stream ended before a runner spoke; the target printed: " + excerpt());
}

std::string PreambleScanner::excerpt() const {
  std::string text = seen_.substr(seen_.size() - std::min(seen_.size(), kExcerpt));
  for (char& c : text) {
    if (std::isprint(static_cast<unsigned char>(c)) == 0) c = c == '\n' ? ' ' : '.';
  }
  return text;
}

}  // namespace talaria::link
