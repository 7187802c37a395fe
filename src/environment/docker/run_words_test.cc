#include "environment/docker/run_words.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::environment::docker {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> words_of(const DockerOptions& options, RunFacts facts = {}) {
  facts.name = "hermes-12345678";
  return run_words(options, facts).words;
}

// Without our own labels, which have a test of their own.
std::string line_of(const DockerOptions& options, const RunFacts& facts = {}) {
  std::string line;
  const std::vector<std::string> words = words_of(options, facts);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--label" && words[i + 1].starts_with("talaria-")) {
      ++i;
    } else {
      line += (line.empty() ? "" : " ") + words[i];
    }
  }
  return line;
}

const std::string kHardened =
    "--cap-drop ALL --cap-add DAC_OVERRIDE --cap-add CHOWN --cap-add FOWNER "
    "--security-opt no-new-privileges --pids-limit 256 --tmpfs /tmp:rw,exec,nosuid,size=512m "
    "--tmpfs /var/tmp:rw,noexec,nosuid,size=256m --tmpfs /run:rw,noexec,nosuid,size=64m";

TEST(RunWords, AreInTheOrderOfUpstream) {
  const DockerOptions options{.profile = "p",
                              .task = "t",
                              .image = "debian",
                              .cwd = "/srv",
                              .cpu = 0.5,
                              .memory_mb = 512,
                              .disk_mb = 1024,
                              .persistent = true,
                              .volumes = {"/data:/data"},
                              .env = {{"B", "2"}, {"A", "1"}},
                              .network = false,
                              .extra_args = {"--cpus", "3"},
                              .shared = {{"/home/me/s", "/root/.hermes/skills"}}};
  EXPECT_EQ(line_of(options, {.can_limit_disk = true, .kept = "/box/t", .runners = "/h/bin"}),
            "run -d --init --name hermes-12345678 --label hermes-agent=1 --label hermes-task-id=t "
            "--label hermes-profile=p -w /srv " +
                kHardened +
                " --cap-add SETUID --cap-add SETGID -v /box/t/home:/root "
                "-v /box/t/workspace:/workspace --cpus 0.5 --memory 512m --storage-opt size=1024m "
                "--network=none -v /data:/data -v /home/me/s:/root/.hermes/skills:ro "
                "-v /h/bin:/opt/talaria:ro -e A -e B --cpus 3 debian sleep infinity");
}

TEST(RunWords, WithNothingKeptEverythingWritableIsInMemory) {
  EXPECT_EQ(line_of({.image = "debian"}),
            "run -d --init --name hermes-12345678 --label hermes-agent=1 "
            "--label hermes-task-id=default --label hermes-profile=default -w /root " +
                kHardened +
                " --cap-add SETUID --cap-add SETGID --tmpfs /workspace:rw,exec,size=10g "
                "--tmpfs /home:rw,exec,size=1g --tmpfs /root:rw,exec,size=1g debian sleep "
                "infinity");
}

TEST(RunWords, AnImageWithItsOwnInitGetsNoSecondOne) {
  const std::string line = line_of({.image = "x"}, {.has_own_init = true});
  EXPECT_THAT(line, AllOf(Not(HasSubstr("--init")), HasSubstr("/run:rw,exec,nosuid,size=64m")));
}

TEST(RunWords, AnOrdinaryUserHasNoRightsToGiveUp) {
  const std::string line = line_of({.image = "x"}, {.user = "1000:1000"});
  EXPECT_THAT(line, AllOf(HasSubstr("--user 1000:1000"), Not(HasSubstr("SETUID"))));
}

TEST(RunWords, OnlyOneThingIsMountedAsTheWorkspace) {
  const auto mounts = [](const std::vector<std::string>& words) {
    return std::ranges::count_if(words, [](const std::string& word) {
      return word.ends_with(":/workspace") || word.starts_with("/workspace:");
    });
  };
  const DockerOptions own{.persistent = true, .volumes = {"x:/workspace"}};
  EXPECT_EQ(mounts(words_of(own, {.kept = "/box"})), 1);
  EXPECT_EQ(mounts(words_of({.volumes = {"x:/workspace"}})), 1);
  const DockerOptions caller{.host_cwd = "/home/me"};
  EXPECT_EQ(mounts(words_of(caller, {.kept = "/box", .mounts_cwd = true})), 1);
  EXPECT_THAT(words_of(caller, {.mounts_cwd = true}), Contains("/home/me:/workspace"));
}

TEST(RunWords, SecretsAreNotAmongThem) {
  const RunWords made = run_words({.image = "x", .env = {{"TOKEN", "hunter2"}}}, {.name = "n"});
  EXPECT_THAT(made.words, Contains("TOKEN"));
  EXPECT_THAT(made.words, Not(Contains(HasSubstr("hunter2"))));
  EXPECT_THAT(made.client, ElementsAre("TOKEN=hunter2"));
}

TEST(RunWords, AVolumeWithoutAPlaceIsLeftOutAndTold) {
  const RunWords made = run_words({.image = "x", .volumes = {"/data"}}, {.name = "n"});
  EXPECT_THAT(made.words, Not(Contains("/data")));
  EXPECT_THAT(made.notices, ElementsAre(HasSubstr("'/data' has no ':'")));
}

TEST(RunWords, ADiskThatCannotBeLimitedIsToldToWhoeverAskedForIt) {
  DockerOptions options{.image = "x", .disk_mb = 10};
  EXPECT_THAT(run_words(options, {.name = "n"}).notices, ElementsAre(HasSubstr("limit")));
  options.says_disk = false;
  EXPECT_THAT(run_words(options, {.name = "n"}).notices, ElementsAre());
}

TEST(RunWords, NumbersAreWrittenShort) {
  EXPECT_EQ(number_text(1), "1");
  EXPECT_EQ(number_text(0.5), "0.5");
  EXPECT_EQ(number_text(2.25), "2.25");
}

}  // namespace
}  // namespace talaria::environment::docker
