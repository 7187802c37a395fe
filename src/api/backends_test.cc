#include "api/backends.h"

#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "host/host.h"

namespace talaria {
namespace {

// "" if a command could be run.
std::string missing(std::vector<std::string> variables) {
  asio::io_context loop(1);
  variables.push_back("HOME=/home/me");
  const host::Caller caller{.variables = std::move(variables), .cwd = "/here"};
  const host::Host host(caller, read_config(caller), backends(loop.get_executor()));
  const Result<void> enough = host.environments.requirements();
  return enough ? "" : enough.error().message();
}

// As said by spec: managed is the gateway alone, direct an account alone, auto either, the gateway
// first.
TEST(Backends, ModalIsByTheGatewayOrByAnAccount) {
  const auto modal = [](std::vector<std::string> variables) {
    variables.insert(variables.end(), {"TERMINAL_ENV=modal", "PATH=/nowhere"});
    return missing(std::move(variables));
  };
  const std::vector<std::string> account{"MODAL_TOKEN_ID=ak-1", "MODAL_TOKEN_SECRET=as-1"};
  const auto with_account = [&](const char* mode) {
    std::vector<std::string> variables = account;
    variables.push_back("TERMINAL_MODAL_MODE=" + std::string(mode));
    return modal(std::move(variables));
  };
  const std::string no_gateway =
      "Managed Modal requires a configured tool gateway and Nous user token. Set "
      "TOOL_GATEWAY_USER_TOKEN, and MODAL_GATEWAY_URL for a gateway of your own. For `talaria "
      "serve`, `talaria token add NAME` creates the token";
  EXPECT_EQ(with_account("managed"), no_gateway);
  // The program it takes is there, or is what is missing.
  for (const char* mode : {"direct", "auto"}) {
    const std::string words = with_account(mode);
    EXPECT_TRUE(words.empty() || words.starts_with("target modal needs the program talaria-modal"))
        << words;
  }
  EXPECT_EQ(modal({"TOOL_GATEWAY_USER_TOKEN=t", "TERMINAL_MODAL_MODE=auto"}), "");
  const std::string direct = modal({"TOOL_GATEWAY_USER_TOKEN=t", "TERMINAL_MODAL_MODE=direct"});
  EXPECT_TRUE(direct.starts_with("Modal: no credentials were found. Set MODAL_TOKEN_ID")) << direct;
  EXPECT_FALSE(direct.contains("TOOL_GATEWAY_USER_TOKEN")) << direct;
  const std::string neither = modal({});
  EXPECT_TRUE(neither.starts_with("Modal: no credentials were found. Set MODAL_TOKEN_ID"))
      << neither;
  EXPECT_TRUE(neither.contains("TOOL_GATEWAY_USER_TOKEN")) << neither;
}

TEST(Backends, SayWhatTheyNeed) {
  EXPECT_EQ(missing({}), "");
  EXPECT_EQ(missing({"TERMINAL_ENV=carrier", "TERMINAL_CARRIER=ssh host"}), "");
  EXPECT_EQ(
      missing({"TERMINAL_ENV=carrier"}),
      "target carrier requires TERMINAL_CARRIER, the command that runs a program at the target, "
      "for example TERMINAL_CARRIER='docker exec -i BOX'");
  EXPECT_EQ(missing({"TERMINAL_ENV=ssh", "TERMINAL_SSH_HOST=box", "TERMINAL_SSH_USER=me"}), "");
  EXPECT_TRUE(missing({"TERMINAL_ENV=ssh", "TERMINAL_SSH_HOST=box"})
                  .starts_with("SSH environment requires ssh_host and ssh_user to be configured"));
  EXPECT_EQ(missing({"TERMINAL_ENV=managed", "TOOL_GATEWAY_USER_TOKEN=t"}), "");
  EXPECT_EQ(missing({"TERMINAL_ENV=modal", "TOOL_GATEWAY_USER_TOKEN=t"}), "");
  EXPECT_EQ(
      missing({"TERMINAL_ENV=managed"}),
      "Managed Modal requires a configured tool gateway and Nous user token. Set "
      "TOOL_GATEWAY_USER_TOKEN, and MODAL_GATEWAY_URL for a gateway of your own. For `talaria "
      "serve`, `talaria token add NAME` creates the token");
  EXPECT_EQ(missing({"TERMINAL_ENV=managed", "TOOL_GATEWAY_SCHEME=ftp"}),
            "TOOL_GATEWAY_SCHEME must be 'http' or 'https'");
  EXPECT_EQ(missing({"TERMINAL_ENV=daytona", "DAYTONA_API_KEY=k"}), "");
  EXPECT_TRUE(
      missing({"TERMINAL_ENV=daytona"}).starts_with("Daytona requires DAYTONA_API_KEY: create"));
  EXPECT_TRUE(missing({"TERMINAL_ENV=daytona", "DAYTONA_API_KEY=k", "DAYTONA_API_URL=x y"})
                  .starts_with("DAYTONA_API_URL: 'x y' is not a URL"));
  EXPECT_TRUE(missing({"TERMINAL_ENV=vercel"})
                  .starts_with("Unknown TERMINAL_ENV 'vercel'. Use one of: local, "));
}

}  // namespace
}  // namespace talaria
