// `talaria serve` with the fixtures of the conformance suite at /mcp instead of our tools. Takes
// the same command line.
#include <signal.h>

#include <variant>

#include <boost/asio/io_context.hpp>

#include "api/asio_runtime.h"
#include "front/cli/command_line.h"
#include "front/gateway/serve_front.h"
#include "front/run_loop.h"
#include "mcp/conformance/fixtures.h"

int main(int argc, char** argv) {
  namespace front = talaria::front;
  ::signal(SIGPIPE, SIG_IGN);
  front::cli::CommandLine line = front::cli::parse_command_line({argv + 1, argv + argc});
  auto* const serve = std::get_if<front::gateway::ServeOptions>(&line);
  const front::Stdio stdio;
  if (serve == nullptr) {
    front::complain(stdio, "usage: talaria-mcp-conformance serve [OPTIONS], as talaria serve");
    return front::gateway::kServeBadUsage;
  }
  talaria::asio::io_context loop(1);
  talaria::AsioRuntime runtime(loop.get_executor(),
                               {.settings = serve->settings, .name = "gateway"});
  return front::run_front(loop,
                          front::gateway::serve_front(runtime, std::move(*serve), stdio, nullptr,
                                                      talaria::test::fixture_offer()),
                          stdio, front::gateway::kServeFailed);
}
