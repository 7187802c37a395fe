#include "host/host.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "testing/fake_environment.h"
#include "testing/run_to_end.h"

namespace talaria {
namespace {

std::string error_of(const Result<std::shared_ptr<Environment>>& result) {
  return result ? "no error" : result.error().message();
}

TEST(Host, TasksShareOneEnvironmentMadeOnce) {
  const auto fake = std::make_shared<FakeTarget>();
  Host host = fake_host(fake);
  EXPECT_TRUE(host.environments().empty());
  const auto first = run_to_end(host.environment("default"));
  const auto second = run_to_end(host.environment("another"));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(fake->made, 1);
  EXPECT_EQ(host.environments().count("default"), 1u);
}

TEST(Host, ATargetItCannotServeIsAnErrorAndNothingElseIsTried) {
  const struct {
    const char* name;
    const char* variable;
    const char* expected;
  } cases[] = {
      {"known, not served", "TERMINAL_ENV=docker",
       "TERMINAL_ENV is 'docker', which this Talaria cannot serve yet. Use one of: local."},
      {"unknown", "TERMINAL_ENV=dokcer", "Unknown TERMINAL_ENV 'dokcer'. Use one of: local."},
      {"compared exactly", "TERMINAL_ENV=Local",
       "Unknown TERMINAL_ENV 'Local'. Use one of: local."},
      {"empty is not local", "TERMINAL_ENV=", "Unknown TERMINAL_ENV ''. Use one of: local."},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto fake = std::make_shared<FakeTarget>();
    Host host = fake_host(fake, {c.variable});
    EXPECT_EQ(error_of(run_to_end(host.environment("default"))), c.expected);
    EXPECT_EQ(fake->made, 0);
  }
}

TEST(Host, ABrokenConfigurationIsTheAnswerToEveryCall) {
  const auto fake = std::make_shared<FakeTarget>();
  Host host = fake_host(fake, {"TERMINAL_TIMEOUT=soon"});
  EXPECT_TRUE(error_of(run_to_end(host.environment("default"))).contains("TERMINAL_TIMEOUT"));
  EXPECT_EQ(fake->made, 0);
}

TEST(Host, AFailedEnvironmentIsNotKept) {
  int attempts = 0;
  const Caller caller{.variables = {"HOME=/home/me"}, .cwd = "/here"};
  Host host(caller, read_config(caller),
            {Backend{"local", [&](const Config&) -> Result<std::unique_ptr<Environment>> {
                       ++attempts;
                       return fail(ErrorKind::unavailable, "no runner");
                     }}});
  EXPECT_EQ(error_of(run_to_end(host.environment("default"))), "no runner");
  EXPECT_EQ(error_of(run_to_end(host.environment("default"))), "no runner");
  EXPECT_EQ(attempts, 2);
  EXPECT_TRUE(host.environments().empty());
}

}  // namespace
}  // namespace talaria
