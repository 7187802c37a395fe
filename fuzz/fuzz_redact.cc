// Any text: what redact() makes of it is text, hardly longer than it was, and a key behind it is
// gone.

#include <string>

#include "base/text.h"
#include "fuzz/input.h"
#include "policy/redact.h"

namespace talaria {
namespace {

void check(Input input) {
  const bool code_file = input.choice() % 2 == 1;
  const std::string text = sanitize_utf8(input.rest());
  const std::string result = policy::redact(text, {.code_file = code_file});
  require(is_valid_utf8(result));
  require(result.size() <= 3 * text.size());

  const std::string key = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
  require(!policy::redact(text + "\n" + key, {.code_file = code_file}).ends_with(key));
}

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talaria::check(talaria::Input(data, size));
  return 0;
}
