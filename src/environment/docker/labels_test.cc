#include "environment/docker/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::environment::docker {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(Labels, ValuesHaveOnlyHarmlessCharacters) {
  EXPECT_EQ(label_value("task/with:weird*chars"), "task_with_weird_chars");
  EXPECT_EQ(label_value(std::string(100, 'x')), std::string(63, 'x'));
  EXPECT_EQ(label_value("a\xf0\x9f\x98\x80z"), "a_z");
  EXPECT_EQ(label_value(std::string(62, 'x') + "\xc3\xa9y"), std::string(62, 'x') + "_");
  EXPECT_EQ(label_value(""), "unknown");
}

TEST(Labels, AreThoseOfUpstreamFirst) {
  EXPECT_EQ(upstream_labels({.task = "a/b", .profile = "my profile"}),
            (std::vector<std::string>{"hermes-agent=1", "hermes-task-id=a_b",
                                      "hermes-profile=my_profile"}));
}

TEST(Labels, TellTasksApartThatLookAlike) {
  EXPECT_EQ(upstream_labels({.task = "a/b"}), upstream_labels({.task = "a:b"}));
  EXPECT_NE(all_labels({}, {.task = "a/b"}), all_labels({}, {.task = "a:b"}));
}

TEST(Labels, OfAPoolNameNoTask) {
  const std::vector<std::string> labels =
      all_labels({.persist_across_processes = true}, {.task = "a", .pool = "key"});
  EXPECT_THAT(labels, Contains("talaria-pool=key"));
  EXPECT_THAT(labels, Contains("hermes-task-id=talaria-pool"));
  EXPECT_THAT(labels, Contains("talaria-keep=no"));
  EXPECT_THAT(labels, Not(Contains(HasSubstr(kTaskDigestLabel))));
}

TEST(Labels, HoldNoSecrets) {
  const std::string text = settings_text(
      {.env = {{"TOKEN", "hunter2"}}, .extra_args = {"--env", "PASSWORD=hunter2"}}, {});
  EXPECT_THAT(text, Not(HasSubstr("hunter2")));
}

TEST(Labels, SayHowTheDirectoryOfTheRunnerIsNamed) {
  EXPECT_TRUE(starts_runner(settings_text({.image = "one"}, {})));
  EXPECT_FALSE(starts_runner(R"({"image":"one"})"));
  EXPECT_FALSE(starts_runner(""));
}

TEST(Labels, SayWhatIsDifferentNow) {
  DockerConfig config{.image = "one", .volumes = {"/a:/a"}};
  const ContainerConfig container{.cpu = 1, .memory_mb = 512};
  const std::string made_with = settings_text(config, container);
  EXPECT_EQ(settings_difference(made_with, config, container), "");
  config.image = "two";
  config.env = {{"TOKEN", "hunter2"}};
  const std::string reported = settings_difference(made_with, config, container);
  EXPECT_THAT(reported, HasSubstr("TERMINAL_DOCKER_IMAGE \"one\", not \"two\""));
  EXPECT_THAT(reported, HasSubstr("TERMINAL_DOCKER_ENV"));
  EXPECT_THAT(reported, Not(HasSubstr("MEMORY")));
  EXPECT_THAT(reported, Not(HasSubstr("hunter2")));
}

TEST(Labels, OneThatSaysNothingDiffersInNothing) {
  EXPECT_EQ(settings_difference("", {.image = "x"}, {}), "");
  EXPECT_EQ(settings_difference("no JSON", {.image = "x"}, {}), "");
}

}  // namespace
}  // namespace talaria::environment::docker
