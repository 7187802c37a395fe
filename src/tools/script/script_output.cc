#include "tools/script/script_output.h"

#include "base/ansi.h"
#include "base/text.h"
#include "policy/redact.h"

namespace talaria::tool {
namespace {

constexpr std::size_t kHead = 20'000;
constexpr std::size_t kTail = 30'000;

std::string readable(std::string_view bytes) { return strip_ansi(sanitize_utf8(bytes)); }

// A secret that is cut in two would not be known as one: each part is looked at with what is beside
// it.
std::string shown(std::string_view before, std::string_view text, std::string_view after,
                  bool mask) {
  const std::string plain = readable(text);
  if (!mask) return plain;
  const std::string ahead = readable(before);
  const std::string behind = readable(after);
  return redact(policy::PartOfText{.before = ahead, .text = plain, .after = behind});
}

}  // namespace

void limit_script_output(environment::CommandSpec& spec) {
  spec.head_limit = kHead + policy::kSecretBytes;
  spec.tail_limit = kTail + policy::kSecretBytes;
}

std::string script_output(const environment::CommandOutcome& outcome, bool mask) {
  const std::string& head = outcome.head;
  const std::string& tail = outcome.tail;
  if (outcome.total <= kHead + kTail) return shown("", head + tail, "", mask);

  // Known are the first bytes and the last, perhaps all; the two may touch.
  const bool whole = outcome.total == head.size() + tail.size();
  const std::string all = whole ? head + tail : std::string();
  const std::string_view first = whole ? std::string_view(all) : head;
  const std::string_view last = whole ? std::string_view(all) : tail;
  const std::string_view beginning = without_cut_end(first.substr(0, kHead));
  const std::string_view end = without_cut_start(last.substr(last.size() - kTail));
  const std::uint64_t omitted = outcome.total - beginning.size() - end.size();
  return shown("", beginning, first.substr(beginning.size(), policy::kSecretBytes), mask) +
         "\n\n... [OUTPUT TRUNCATED - " + with_commas(omitted) + " chars omitted out of " +
         with_commas(outcome.total) + " total] ...\n\n" +
         shown(last_bytes(last.substr(0, last.size() - end.size()), policy::kSecretBytes), end, "",
               mask);
}

}  // namespace talaria::tool
