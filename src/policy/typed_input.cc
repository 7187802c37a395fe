#include "policy/typed_input.h"

#include <utility>

#include "base/text.h"

namespace talaria::policy {
namespace {

constexpr std::size_t kMaxProcesses = 256;  // whose unfinished lines are remembered
constexpr std::size_t kMaxLine = 64 * 1024;

// Enter is a carriage return at a terminal.
std::string with_newlines(std::string text) {
  for (char& c : text) c = c == '\r' ? '\n' : c;
  return text;
}

}  // namespace

std::optional<Decision> TypedInput::refusal(CommandQuestion process, const std::string& id,
                                            std::string_view data) {
  std::string text = unfinished_[id] + with_newlines(std::string(data));
  process.input = {.kind = guard::StartInput::Kind::text, .text = text};
  std::optional<Decision> refused = approvals_.never_allowed(process);
  const std::size_t line = text.rfind('\n');
  std::string rest = line == std::string::npos ? std::move(text) : text.substr(line + 1);
  if (refused) return refused;
  if (unfinished_.size() > kMaxProcesses) unfinished_.clear();
  if (rest.empty() || rest.size() > kMaxLine) {
    unfinished_.erase(id);
  } else {
    unfinished_[id] = std::move(rest);
  }
  return refused;
}

}  // namespace talaria::policy
