// Any bytes as what a shell dumped or a session file holds: an error message, or a state.

#include <string>

#include "fuzz/input.h"
#include "runner/session_store.h"
#include "shell/dump.h"

namespace talaria {
namespace {

void check_dump(std::string_view bytes) {
  const shell::ShellDefaults defaults{.set_options = {"braceexpand", "hashall"},
                                      .shopt_options = {"cmdhist", "sourcepath"}};
  const auto state = shell::parse_dump(bytes, "n", defaults);
  require(state || !state.error().message().empty());
}

void check_session(std::string_view bytes) {
  const auto state = runner::decode_session("t", bytes);
  if (!state) return;
  require(runner::decode_session("t", runner::encode_session("t", *state)).value() == *state);
}

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  talaria::check_dump(bytes);
  talaria::check_session(bytes);
  return 0;
}
