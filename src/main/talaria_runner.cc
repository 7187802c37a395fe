// talaria-runner: the program at the target. One binary with a few modes, so that delivering it is
// delivering one file.
#include <cstdio>
#include <string_view>

#include "base/version.h"
#include "runner/askpass/askpass_main.h"
#include "runner/search/search_main.h"
#include "runner/serve/bridge.h"
#include "runner/serve/serve.h"

int main(int argc, char** argv) {
  if (argc > 0 && talaria::runner::is_askpass(argv[0]))
    return talaria::runner::askpass_main(argv[0]);
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "supervise") return talaria::runner::supervise_main(argc, argv);
  if (mode == "serve") return talaria::runner::serve_main(argc, argv);
  if (mode == "connect" || mode == "batch") return talaria::runner::bridge_main(argc, argv);
  if (mode == talaria::runner::kSearchArgument) return talaria::runner::search_main(argc, argv);
  if (mode == "--version") {
    std::printf("talaria-runner %.*s\n", static_cast<int>(talaria::kVersion.size()),
                talaria::kVersion.data());
    return 0;
  }
  std::fputs("usage: talaria-runner serve|connect|batch ... (started by talaria)\n", stderr);
  return 2;
}
