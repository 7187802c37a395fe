// What a model is shown of a command's output has no secrets in it, unless somebody switched that
// off before the start.

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testing/fake_call.h"
#include "testing/fake_environment.h"
#include "testing/open_policy.h"
#include "testing/run_to_end.h"
#include "tools/command_result.h"
#include "tools/terminal.h"

namespace talaria::tool {
namespace {

std::string output_of(const std::string& text, std::vector<std::string> variables = {}) {
  auto fake = std::make_shared<test::FakeTarget>();
  fake->reply = [&](const environment::CommandSpec&) {
    return test::FakeReply{test::printed(text)};
  };
  host::Host host = fake_host(fake, std::move(variables));
  test::OpenPolicy policy(host);
  const json::object result =
      test::run_to_end(terminal(test::tool_call(host, policy, {{"command", "x"}}, {.task = "t"})));
  return std::string(result.at("output").as_string());
}

TEST(RedactedOutput, SecretsAreMaskedBehindEscapesAndBlanks) {
  EXPECT_EQ(output_of("HOME=/root\nAPI_KEY=\033[1mabc\033[0m\n\n"), "HOME=/root\nAPI_KEY=***");
  EXPECT_EQ(output_of("  password=a&user=b \n"), "password=***&user=b");
}

TEST(RedactedOutput, TheSwitchIsTheSettingsAndNothingElseIsOn) {
  const std::string line = "TOKEN=abc";
  EXPECT_EQ(output_of(line, {"HERMES_REDACT_SECRETS=on"}), "TOKEN=***");
  EXPECT_EQ(output_of(line, {"HERMES_REDACT_SECRETS=false"}), line);
  EXPECT_EQ(output_of(line, {"HERMES_REDACT_SECRETS=never"}), line);
}

TEST(RedactedOutput, ASecretIsKnownAlsoWhereTheOutputIsCut) {
  const std::string secret = "sk-abcdefghijklmnopqrstuvwxyz0123456789";
  for (std::size_t before = 0; before < 120; ++before) {
    const std::string text =
        std::string(before, '.') + " " + secret + " " + std::string(160 - before, '.');
    const json::object result =
        describe_outcome(test::printed(text), {}, {.max_output_chars = 100, .redact = true});
    const std::string output(result.at("output").as_string());
    EXPECT_FALSE(output.contains("ghijkl")) << output;
    EXPECT_FALSE(output.contains("012345")) << output;
  }
}

TEST(RedactedOutput, APersonSeesWhatWasPrinted) {
  const json::object result =
      describe_outcome(test::printed("TOKEN=abc"), {}, {.max_output_chars = 100});
  EXPECT_EQ(result.at("output"), "TOKEN=abc");
}

}  // namespace
}  // namespace talaria::tool
