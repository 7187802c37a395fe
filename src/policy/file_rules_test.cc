#include "policy/file_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::policy {
namespace {

using testing::HasSubstr;

const RuledPlace kPlace{.home = "/home/u",
                        .agent_homes = {"/home/u/.hermes/profiles/mine", "/home/u/.hermes"},
                        .profiles_root = "/home/u/.hermes"};

RuledPath at(const std::string& path) { return {path, path, path}; }

std::string change(const std::string& path, bool across = false) {
  return change_denied(at(path), kPlace, FileAct::write, across).value_or("");
}

TEST(FileRules, WhatMayBeWritten) {
  for (const char* path :
       {"/home/u/x", "/home/u/.bashrc", "/home/u/.sshx/f", "/etcetera", "/srv/.env",
        "/home/u/.hermes/skin.yaml", "/home/u/.hermes/profiles/mine/skills/s",
        "/home/u/.docker.txt", "/usr/lib/other"}) {
    EXPECT_EQ(change(path), "") << path;
  }
}

TEST(FileRules, WhatMayNot) {
  for (const char* path :
       {"/etc/passwd", "/etc", "/boot/x", "/usr/lib/systemd/x", "/private/var/x",
        "/run/docker.sock", "/home/u/.ssh/new", "/home/u/.ssh", "/home/u/.config/gh/hosts.yml",
        "/home/u/.netrc", "/home/u/.hermes/.env", "/home/u/.hermes/config.yaml",
        "/home/u/.hermes/profiles/mine/config.yaml", "/home/u/.hermes/mcp-tokens/x",
        "/home/u/.hermes/talaria/talaria.db", "/home/u/.hermes/pairing/p"}) {
    EXPECT_NE(change(path, true), "") << path;
  }
}

TEST(FileRules, WhatIsWrittenOrWhereItLeadsIsEnough) {
  const RuledPath link{"x", "/home/u/x", "/home/u/.ssh/id_rsa"};
  EXPECT_TRUE(change_denied(link, kPlace, FileAct::write, false));
  const RuledPath moved{"/etc/x", "/etc/x", "/data/etc/x"};
  EXPECT_TRUE(change_denied(moved, kPlace, FileAct::write, false));
}

TEST(FileRules, OtherProfilesAndCopiesAreSoft) {
  for (const char* path : {"/home/u/.hermes/profiles/other/memories/m", "/home/u/.hermes/cron/c",
                           "/x/sandboxes/docker/t/home/.hermes/skills/s"}) {
    EXPECT_THAT(change(path), HasSubstr("cross_profile=true")) << path;
    EXPECT_EQ(change(path, true), "") << path;
  }
  EXPECT_EQ(change("/home/u/.hermes/profiles/other/notes"), "");
}

TEST(FileRules, RemovingAndMovingHaveWordsOfTheirOwn) {
  EXPECT_EQ(change_denied(at("/home/u/.netrc"), kPlace, FileAct::remove, false),
            "Delete denied: /home/u/.netrc is a protected path");
  EXPECT_EQ(change_denied(at("/home/u/.netrc"), kPlace, FileAct::move, false),
            "Move denied: /home/u/.netrc is a protected path");
}

// What is removed is the link: it may be in a place that its path does not show and that it does
// not lead to.
TEST(FileRules, ALinkThatIsRemovedIsWhereItsDirectoryIs) {
  const RuledPath link{"link/etc/localtime", "/srv/link/etc/localtime", "/usr/share/zone",
                       "/etc/localtime"};
  EXPECT_TRUE(change_denied(link, kPlace, FileAct::remove, false));
  RuledPlace jail = kPlace;
  jail.write_root = "/srv/a";
  EXPECT_TRUE(change_denied({"l", "/srv/l", "/srv/a/f", "/srv/l"}, jail, FileAct::remove, false));
  EXPECT_FALSE(
      change_denied({"l", "/srv/a/l", "/srv/a/f", "/srv/a/l"}, jail, FileAct::remove, false));
}

TEST(FileRules, DevicesAreKnownByTheirNames) {
  for (const char* path : {"/dev/zero", "/dev/tty", "/dev/fd/1", "/proc/self/fd/0",
                           "/proc/12/environ", "/proc/self/task/12/environ"}) {
    EXPECT_TRUE(device_denied(path, path)) << path;
  }
  for (const char* path : {"/dev/null", "/dev/fd/3", "/proc/cpuinfo", "/proc/self/fd/10",
                           "/proc/self/status", "/tmp/environ"}) {
    EXPECT_FALSE(device_denied(path, path)) << path;
  }
}

TEST(FileRules, ASearchLeavesOutWhatIsBelowItsRoot) {
  EXPECT_THAT(unsearched("/home/u", kPlace), testing::Contains("!/.hermes/auth.json"));
  EXPECT_THAT(unsearched("/", kPlace), testing::Contains("!/home/u/.hermes/mcp-tokens"));
  EXPECT_THAT(unsearched("/srv", kPlace), testing::Not(testing::Contains(HasSubstr("auth.json"))));
  EXPECT_THAT(unsearched("/srv", kPlace), testing::Contains("!.env"));
  EXPECT_THAT(unsearched("/proc/1", kPlace), testing::Contains("!environ"));
  EXPECT_THAT(unsearched("/", kPlace), testing::Contains("!/proc"));
  EXPECT_THAT(unsearched("/srv", kPlace), testing::Not(testing::Contains("!maps")));
}

}  // namespace
}  // namespace talaria::policy
