#include "environment/docker/run_arguments.h"

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

// An environment without limits, and without files that are kept.
EnvironmentSpec plain_spec() {
  return {.cwd = "/root",
          .container = {.cpu = 0, .memory_mb = 0, .disk_mb = 0, .persistent = false}};
}

std::vector<std::string> argv_of(const DockerConfig& config, RunFacts facts = {},
                                 const EnvironmentSpec& spec = plain_spec()) {
  facts.name = "hermes-12345678";
  return run_arguments(config, spec, facts).argv;
}

// Without our own labels, which have a test of their own.
std::string line_of(const DockerConfig& config, const RunFacts& facts = {},
                    const EnvironmentSpec& spec = plain_spec()) {
  std::string line;
  const std::vector<std::string> argv = argv_of(config, facts, spec);
  for (std::size_t i = 0; i < argv.size(); ++i) {
    if (argv[i] == "--label" && argv[i + 1].starts_with("talaria-")) {
      ++i;
    } else {
      line += (line.empty() ? "" : " ") + argv[i];
    }
  }
  return line;
}

const std::string kHardened =
    "--cap-drop ALL --cap-add DAC_OVERRIDE --cap-add CHOWN --cap-add FOWNER "
    "--security-opt no-new-privileges --pids-limit 256 --tmpfs /tmp:rw,exec,nosuid,size=512m "
    "--tmpfs /var/tmp:rw,noexec,nosuid,size=256m --tmpfs /run:rw,noexec,nosuid,size=64m";

TEST(RunArguments, TheContainerMayBeginWithAScript) {
  EXPECT_THAT(line_of({.image = "debian"}, {.start = "(begin)"}),
              EndsWith("debian sh -c (begin); exec sleep infinity"));
}

TEST(RunArguments, AreInTheOrderOfUpstream) {
  const DockerConfig config{.image = "debian",
                            .env = {{"B", "2"}, {"A", "1"}},
                            .volumes = {"/data:/data"},
                            .extra_args = {"--cpus", "3"},
                            .network = false};
  const EnvironmentSpec spec{
      .task = "t",
      .profile = "p",
      .cwd = "/srv",
      .container = {.cpu = 0.5, .memory_mb = 4096, .disk_mb = 1024, .persistent = true},
      .mounts = {{"/home/me/s", "/root/.hermes/skills"}}};
  const RunFacts facts{.can_limit_disk = true, .task_directory = "/box/t", .runners = "/h/bin"};
  EXPECT_EQ(line_of(config, facts, spec),
            "run -d --init --name hermes-12345678 --label hermes-agent=1 --label hermes-task-id=t "
            "--label hermes-profile=p -w /srv " +
                kHardened +
                " --cap-add SETUID --cap-add SETGID -v /box/t/home:/root "
                "-v /box/t/workspace:/workspace --cpus 0.5 --memory 4096m --storage-opt size=1024m "
                "--network=none -v /data:/data -v /home/me/s:/root/.hermes/skills:ro "
                "-v /h/bin:/opt/talaria:ro -e A -e B --cpus 3 debian sleep infinity");
}

TEST(RunArguments, WithNothingKeptEverythingWritableIsInMemory) {
  EXPECT_EQ(line_of({.image = "debian"}),
            "run -d --init --name hermes-12345678 --label hermes-agent=1 "
            "--label hermes-task-id=default --label hermes-profile=default -w /root " +
                kHardened +
                " --cap-add SETUID --cap-add SETGID --tmpfs /workspace:rw,exec,size=10g "
                "--tmpfs /home:rw,exec,size=1g --tmpfs /root:rw,exec,size=1g debian sleep "
                "infinity");
}

// With /workspace larger than the memory of the container, a file that filled it left no room for
// any command, not even for one that removes it.
TEST(RunArguments, FilesInMemoryLeaveRoomForCommands) {
  EnvironmentSpec spec = plain_spec();
  for (const std::int64_t memory : {64, 256, 512, 5120, 100'000}) {
    for (const char* kept : {"", "/box/t"}) {
      spec.container.memory_mb = memory;
      std::int64_t total = 64;  // /dev/shm
      for (const std::string& word : argv_of({.image = "x"}, {.task_directory = kept}, spec)) {
        const std::size_t at = word.find(",size=");
        if (at == std::string::npos) continue;
        const std::int64_t size = std::stoll(word.substr(at + 6));
        total += word.ends_with('g') ? size * 1024 : size;
      }
      EXPECT_LT(total, memory < 256 ? 2 * memory : memory - memory / 10) << memory << kept;
    }
  }
  spec.container.memory_mb = 5120;
  EXPECT_THAT(line_of({.image = "x"}, {}, spec), AllOf(HasSubstr("/tmp:rw,exec,nosuid,size=512m"),
                                                       HasSubstr("/workspace:rw,exec,size=2560m"),
                                                       HasSubstr("/root:rw,exec,size=512m")));
}

TEST(RunArguments, AnImageWithItsOwnInitGetsNoSecondOne) {
  const std::string line = line_of({.image = "x"}, {.has_own_init = true});
  EXPECT_THAT(line, AllOf(Not(HasSubstr("--init")), HasSubstr("/run:rw,exec,nosuid,size=64m")));
}

TEST(RunArguments, AnOrdinaryUserHasNoRightsToGiveUp) {
  const std::string line = line_of({.image = "x"}, {.user = "1000:1000"});
  EXPECT_THAT(line, AllOf(HasSubstr("--user 1000:1000"), Not(HasSubstr("SETUID"))));
}

TEST(RunArguments, OnlyOneThingIsMountedAsTheWorkspace) {
  const auto mounts = [](const std::vector<std::string>& argv) {
    return std::ranges::count_if(argv, [](const std::string& word) {
      return word.ends_with(":/workspace") || word.starts_with("/workspace:");
    });
  };
  const DockerConfig own{.volumes = {"x:/workspace"}};
  EXPECT_EQ(mounts(argv_of(own, {.task_directory = "/box"})), 1);
  EXPECT_EQ(mounts(argv_of(own)), 1);
  const DockerConfig caller{.host_cwd = "/home/me"};
  EXPECT_EQ(mounts(argv_of(caller, {.task_directory = "/box", .mounts_cwd = true})), 1);
  EXPECT_THAT(argv_of(caller, {.mounts_cwd = true}), Contains("/home/me:/workspace"));
}

TEST(RunArguments, SecretsAreNotAmongThem) {
  const RunArguments made =
      run_arguments({.image = "x", .env = {{"TOKEN", "hunter2"}}}, plain_spec(), {.name = "n"});
  EXPECT_THAT(made.argv, Contains("TOKEN"));
  EXPECT_THAT(made.argv, Not(Contains(HasSubstr("hunter2"))));
  EXPECT_THAT(made.variables, ElementsAre("TOKEN=hunter2"));
}

TEST(RunArguments, AVolumeWithoutAPlaceIsLeftOutAndTold) {
  const RunArguments made =
      run_arguments({.image = "x", .volumes = {"/data"}}, plain_spec(), {.name = "n"});
  EXPECT_THAT(made.argv, Not(Contains("/data")));
  EXPECT_THAT(made.notices, ElementsAre(HasSubstr("'/data' has no ':'")));
}

TEST(RunArguments, ReportsADiskThatCannotBeLimitedIfItWasSet) {
  EnvironmentSpec spec{.container = {.disk_mb = 10, .disk_is_set = true}};
  EXPECT_THAT(run_arguments({}, spec, {.name = "n"}).notices, ElementsAre(HasSubstr("limit")));
  spec.container.disk_is_set = false;
  EXPECT_THAT(run_arguments({}, spec, {.name = "n"}).notices, ElementsAre());
}

TEST(RunArguments, NumbersAreWrittenShort) {
  EXPECT_EQ(number_text(1), "1");
  EXPECT_EQ(number_text(0.5), "0.5");
  EXPECT_EQ(number_text(2.25), "2.25");
}

}  // namespace
}  // namespace talaria::environment::docker
