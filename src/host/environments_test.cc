#include "host/environments.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/host.h"
#include "testing/fake_environment.h"
#include "testing/loop_gaps.h"
#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::host {
namespace {

std::string error_of(const Result<std::shared_ptr<environment::Environment>>& result) {
  return result ? "no error" : result.error().message();
}

TEST(Host, TasksShareOneEnvironmentMadeOnce) {
  const auto fake = std::make_shared<test::FakeTarget>();
  Host host = fake_host(fake);
  EXPECT_TRUE(host.environments.list().empty());
  const auto first = test::run_to_end(host.environments.get("default"));
  const auto second = test::run_to_end(host.environments.get("another"));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(fake->made, 1);
  ASSERT_EQ(host.environments.list().size(), 1u);
  const EnvironmentInfo info = host.environments.list().front();
  EXPECT_EQ(info.id, "default");
  EXPECT_EQ(info.target, "local");
  EXPECT_EQ(info.transport, "link");
  EXPECT_THAT(info.tasks, testing::ElementsAre("another", "default"));
  EXPECT_LE(std::chrono::system_clock::now() - info.last_use, std::chrono::minutes(1));
}

TEST(Host, ARemovedEnvironmentIsMadeAgain) {
  const auto fake = std::make_shared<test::FakeTarget>();
  Host host = fake_host(fake);
  const auto first = test::run_to_end(host.environments.get("t"));
  ASSERT_TRUE(test::run_to_end(host.environments.remove("default", {})));
  EXPECT_TRUE(host.environments.list().empty());
  EXPECT_EQ(test::run_to_end(host.environments.remove("default", {})).error().message(),
            "unknown environment 'default'");
  EXPECT_NE(*test::run_to_end(host.environments.get("t")), *first);
  EXPECT_EQ(fake->made, 2);
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
      {"empty is not local", "TERMINAL_ENV=",
       "Unknown TERMINAL_ENV ''. Use one of: local. It is set and empty; to use the default, unset "
       "it."},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto fake = std::make_shared<test::FakeTarget>();
    Host host = fake_host(fake, {c.variable});
    EXPECT_EQ(error_of(test::run_to_end(host.environments.get("default"))), c.expected);
    EXPECT_EQ(host.environments.requirements().error().message(), c.expected);
    EXPECT_EQ(fake->made, 0);
  }
}

TEST(Host, ABrokenConfigurationIsTheAnswerToEveryCall) {
  const auto fake = std::make_shared<test::FakeTarget>();
  Host host = fake_host(fake, {"TERMINAL_TIMEOUT=soon"});
  EXPECT_TRUE(
      error_of(test::run_to_end(host.environments.get("default"))).contains("TERMINAL_TIMEOUT"));
  EXPECT_TRUE(host.environments.requirements().error().message().contains("TERMINAL_TIMEOUT"));
  EXPECT_EQ(fake->made, 0);
}

TEST(Host, AFailedEnvironmentIsNotKept) {
  int attempts = 0;
  const Caller caller{.variables = {"HOME=/home/me"}, .cwd = "/here"};
  Host host(
      caller, read_config(caller),
      {Backend{"local",
               [&](const EnvironmentRequest&) -> Result<std::unique_ptr<environment::Environment>> {
                 ++attempts;
                 return fail(ErrorKind::unavailable, "no runner");
               }}});
  EXPECT_EQ(error_of(test::run_to_end(host.environments.get("default"))), "no runner");
  EXPECT_EQ(error_of(test::run_to_end(host.environments.get("default"))), "no runner");
  EXPECT_EQ(attempts, 2);
  EXPECT_TRUE(host.environments.list().empty());
}

TEST(Host, RequirementsAreTheBackendsToSayAndMakeNothing) {
  const auto fake = std::make_shared<test::FakeTarget>();
  EXPECT_TRUE(fake_host(fake).environments.requirements());

  Backend backend = test::fake_backend(fake);
  backend.check = [](const Config&) -> Result<void> {
    return fail(ErrorKind::unavailable, "no engine answers");
  };
  const Caller caller{.variables = {"HOME=/home/me"}, .cwd = "/here"};
  const Host host(caller, read_config(caller), {backend});
  EXPECT_EQ(host.environments.requirements().error().message(), "no engine answers");
  EXPECT_EQ(fake->made, 0);
}

TEST(Host, AnEmbedderMayAddVariablesButNoSecretByItsBareName) {
  const auto fake = std::make_shared<test::FakeTarget>();
  Host host = fake_host(fake, {"MINE=1"});
  host.settings.variables().add({"MORE=2", "OPENAI_API_KEY=sk-1", "_HERMES_FORCE_GH_TOKEN=forced"});
  EXPECT_TRUE(host.settings.variables().pass_through("TENOR_API_KEY"));
  EXPECT_FALSE(host.settings.variables().pass_through("ANTHROPIC_TOKEN"));
  EXPECT_THAT(host.settings.variables().child_env().get(),
              testing::IsSupersetOf({"MINE=1", "MORE=2", "GH_TOKEN=forced"}));
  EXPECT_THAT(host.settings.variables().child_env().get(),
              testing::Not(testing::Contains(testing::HasSubstr("sk-1"))));
  EXPECT_THAT(host.settings.variables().child_env().get(),
              testing::Not(testing::Contains(testing::HasSubstr("FORCE"))));
}

TEST(Host, AContainerGetsWhatIsSharedWhenItIsMade) {
  test::TemporaryDirectory home;
  home.write("skills/a/SKILL.md", "s");
  home.write("token", "t");
  home.write("more/b/SKILL.md", "s");
  home.write("config.yaml",
             "terminal:\n  credential_files: [token, {path: gone}, 7]\n"
             "skills: {external_dirs: [more]}\n");
  const Caller caller{.variables = {"HOME=/home/me", "TALARIA_HOME=" + home.path()}, .cwd = "/"};
  std::vector<EnvironmentRequest> asked;
  Backend bound{"local", [&](const EnvironmentRequest& request) -> Backend::Made {
                  asked.push_back(request);
                  return fail(ErrorKind::unavailable, "no engine");
                }};
  Backend apart = bound;
  bound.shared_by = SharedBy::mounts;
  Host host(caller, read_config(caller), {bound});
  home.write("late", "l");
  ASSERT_TRUE(host.environments.shared_files().credentials().add("late"));
  (void)test::run_to_end(host.environments.get("default"));
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_THAT(asked[0].mounts,
              testing::ElementsAre(
                  environment::BoundPath{home.path("late"), "/root/.hermes/late"},
                  environment::BoundPath{home.path("token"), "/root/.hermes/token"},
                  environment::BoundPath{home.path("skills"), "/root/.hermes/skills"},
                  environment::BoundPath{home.path("more"), "/root/.hermes/external_skills/0"}));
  EXPECT_THAT(asked[0].config.notices,
              testing::ElementsAre(testing::HasSubstr("or `name`, not 7"),
                                   testing::HasSubstr("'gone' does not exist")));

  Host other(caller, read_config(caller), {apart});
  (void)test::run_to_end(other.environments.get("default"));
  EXPECT_THAT(asked.at(1).mounts, testing::IsEmpty());
}

TEST(Host, ATargetOverALinkGetsCopiesBeforeItsCommandsAndGivesThemBackAtTheEnd) {
  test::TemporaryDirectory home;
  home.write("skills/a/SKILL.md", "s");
  const Caller caller{.variables = {"HOME=/home/me", "TALARIA_HOME=" + home.path()}, .cwd = "/"};
  const auto fake = std::make_shared<test::FakeTarget>();
  Backend backend = test::fake_backend(fake);
  backend.shared_by = SharedBy::copies;
  Host host(caller, read_config(caller), {backend});
  const auto environment = test::run_to_end(host.environments.get("default"));
  ASSERT_TRUE(environment);
  EXPECT_THAT(fake->files.files, testing::IsEmpty());
  ASSERT_TRUE(test::run_to_end((*environment)->run({.command = "true"}, CancelToken{})));
  EXPECT_THAT(fake->files.written, testing::ElementsAre("skills/a/SKILL.md"));

  home.write("late", "l");
  ASSERT_TRUE(host.environments.shared_files().credentials().add("late"));
  fake->files.refused = {"late"};
  Host again(caller, read_config(caller), {backend});
  ASSERT_TRUE(again.environments.shared_files().credentials().add("late"));
  const auto other = test::run_to_end(again.environments.get("default"));
  const auto outcome = test::run_to_end((*other)->run({.command = "true"}, CancelToken{}));
  ASSERT_TRUE(outcome) << "a command never fails for want of files";
  EXPECT_THAT(outcome->notices, testing::ElementsAre(testing::HasSubstr("were not copied")));

  // Both sides wrote: that is written down. Closing fails only if something is left there.
  fake->files.put("~/.hermes/skills/a/SKILL.md", "changed there");
  home.write("skills/a/SKILL.md", "changed here");
  ASSERT_TRUE(test::run_to_end((*environment)->close(false)));
  EXPECT_EQ(home.read("skills/a/SKILL.md"), "changed there");
  EXPECT_THAT(home.read("talaria/sync.log"),
              testing::HasSubstr("Z local: Conflict: " + home.path()));
  fake->files.also_listed.push_back({"huge", {.size = 3ull << 30}, ""});
  home.write("skills/top", "t");
  Host third(caller, read_config(caller), {backend});
  const auto last = test::run_to_end(third.environments.get("default"));
  ASSERT_TRUE(test::run_to_end((*last)->run({.command = "true"}, CancelToken{})));
  const Result<void> closed = test::run_to_end((*last)->close(false));
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().message(), testing::HasSubstr("Nothing was brought back"));
}

class HostOverride : public testing::Test {
 protected:
  HostOverride() : host_(make_host()) {}

  Host make_host() {
    Caller caller{.variables = {"HOME=/home/me", "TERMINAL_CWD=/configured"}, .cwd = "/here"};
    Result<Config> config = read_config(caller);
    return Host(std::move(caller), std::move(config),
                {test::fake_backend(local_), test::fake_backend(other_, "carrier")});
  }

  std::string cwd_of(const std::string& task) { return (*host_.settings.of(task))->cwd; }
  std::shared_ptr<environment::Environment> environment_of(const std::string& task) {
    return test::run_to_end(host_.environments.get(task)).value_or(nullptr);
  }

  std::shared_ptr<test::FakeTarget> local_ = std::make_shared<test::FakeTarget>();
  std::shared_ptr<test::FakeTarget> other_ = std::make_shared<test::FakeTarget>();
  Host host_;
};

TEST_F(HostOverride, ADirectoryAloneKeepsTheSharedEnvironment) {
  const auto shared = environment_of("another");
  ASSERT_TRUE(host_.settings.override_task("t", {{"cwd", "~/work"}}));
  EXPECT_EQ(cwd_of("t"), "/home/me/work");
  EXPECT_EQ(cwd_of("another"), "/configured");
  EXPECT_EQ(environment_of("t"), shared);
  host_.settings.clear_override("t");
  EXPECT_EQ(cwd_of("t"), "/configured");
}

TEST_F(HostOverride, AnImageGivesATaskAnEnvironmentOfItsOwnUntilItIsCleared) {
  const auto shared = environment_of("t");
  ASSERT_TRUE(host_.settings.override_task("t", {{"docker_image", "debian:12"}}));
  const auto own = environment_of("t");
  EXPECT_NE(own, shared);
  EXPECT_EQ(environment_of("t"), own);
  EXPECT_EQ(environment_of("another"), shared);
  EXPECT_EQ(host_.environments.list().size(), 2u);

  ASSERT_TRUE(host_.settings.override_task("t", {{"docker_image", "debian:12"}, {"cwd", "/x"}}));
  EXPECT_EQ(environment_of("t"), own);
  ASSERT_TRUE(host_.settings.override_task("t", {{"docker_image", "debian:13"}}));
  EXPECT_NE(environment_of("t"), own);

  host_.settings.clear_override("t");
  EXPECT_EQ(environment_of("t"), shared);
  EXPECT_EQ(host_.environments.list().size(), 1u);
}

TEST_F(HostOverride, ATargetMayBeAnotherOne) {
  ASSERT_TRUE(host_.settings.override_task("t", {{"env_type", "carrier"}}));
  EXPECT_EQ(host_.settings.target_of("t"), "carrier");
  EXPECT_EQ(host_.settings.target_of("another"), "local");
  ASSERT_NE(environment_of("t"), nullptr);
  EXPECT_EQ(other_->made, 1);
  EXPECT_EQ(local_->made, 0);

  ASSERT_TRUE(host_.settings.override_task("t", {{"env_type", "docker"}}));
  EXPECT_EQ(error_of(test::run_to_end(host_.environments.get("t"))),
            "task 't', with its overrides: env_type is 'docker', which this Talaria cannot serve "
            "yet. Use one of: local, carrier.");
}

TEST_F(HostOverride, WhatIsSaidForTheDefaultTaskCountsForAllThatShareItsEnvironment) {
  ASSERT_TRUE(host_.settings.override_task("default", {{"env_type", "carrier"}, {"cwd", "/all"}}));
  ASSERT_TRUE(host_.settings.override_task("t", {{"cwd", "/mine"}}));
  ASSERT_TRUE(host_.settings.override_task("apart", {{"env_type", "local"}}));
  EXPECT_EQ(cwd_of("another"), "/all");
  EXPECT_EQ(cwd_of("t"), "/mine");
  EXPECT_EQ(host_.settings.target_of("t"), "carrier");
  EXPECT_EQ(environment_of("t"), environment_of("another"));
  EXPECT_EQ(cwd_of("apart"), "/configured");
  EXPECT_EQ(host_.settings.target_of("apart"), "local");
}

TEST_F(HostOverride, RefusesWhatItDoesNotKnowAndKeepsWhatWasSaid) {
  const struct {
    const char* name;
    json::object overrides;
    const char* expected;
  } cases[] = {
      {"unknown key",
       {{"image", "x"}},
       "unknown override 'image'. Use one of: docker_image, singularity_image, modal_image, "
       "daytona_image, env_type, container_cpu, container_memory, container_disk, cwd."},
      {"unknown target",
       {{"env_type", "carier"}},
       "override 'env_type': expected one of local, docker, podman, singularity, ssh, carrier, "
       "managed, modal, daytona, got 'carier'"},
      {"no number",
       {{"container_cpu", "abc"}},
       "override 'container_cpu': expected number, got 'abc'"},
      {"out of range",
       {{"container_memory", "-5"}},
       "override 'container_memory': expected integer from 0 to 1000000000, got '-5'"},
      {"no text",
       {{"cwd", 7}},
       "override 'cwd' must be a string (UTF-8, no NUL) of at most 4096 bytes"},
      {"null",
       {{"cwd", nullptr}},
       "override 'cwd' must be a string (UTF-8, no NUL) of at most 4096 bytes"},
      {"NUL",
       {{"cwd", std::string("/a\0b", 4)}},
       "override 'cwd' must be a string (UTF-8, no NUL) of at most 4096 bytes"},
  };
  ASSERT_TRUE(host_.settings.override_task("t", {{"cwd", "/kept"}}));
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Result<void> refused = host_.settings.override_task("t", c.overrides);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message(), c.expected);
    EXPECT_EQ(refused.error().kind(), ErrorKind::bad_request);
    EXPECT_EQ(cwd_of("t"), "/kept");
  }
  ASSERT_TRUE(host_.settings.override_task("t", {{"cwd", "  "}, {"docker_image", ""}}));
  EXPECT_EQ(cwd_of("t"), "/configured");
}

TEST(Host, TheDiskUsageOfManyFilesIsFoundBesideTheLoop) {
  const test::TemporaryDirectory temporary;
  for (int directory = 0; directory < 40; ++directory) {
    const std::string name = temporary.path(std::to_string(directory));
    std::filesystem::create_directory(name);
    for (int file = 0; file < 1000; ++file) std::ofstream(name + "/" + std::to_string(file)) << "x";
  }
  Host host =
      fake_host(std::make_shared<test::FakeTarget>(), {"TERMINAL_SANDBOX_DIR=" + temporary.path()});
  asio::io_context loop(1);
  ASSERT_TRUE(test::run_to_end(loop, host.environments.get("t")));
  const test::LoopGaps gaps(loop.get_executor());
  const auto begun = test::LoopGaps::Clock::now();
  const EnvironmentTotals totals = test::run_to_end(loop, host.environments.totals());
  EXPECT_EQ(totals.disk_mb, 0.04);
  EXPECT_LT(gaps.longest(), (test::LoopGaps::Clock::now() - begun) / 2);
}

}  // namespace
}  // namespace talaria::host
