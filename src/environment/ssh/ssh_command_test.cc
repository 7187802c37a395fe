#include "environment/ssh/ssh_command.h"

#include <gtest/gtest.h>

namespace talaria::environment::ssh {
namespace {

const SshConfig kTarget{.host = "box", .user = "me"};

// What `ssh -G` says of these options when nobody has configured anything.
constexpr const char* kAllOurs =
    "user me\nhostname box\nport 22\ncontrolmaster auto\nstricthostkeychecking accept-new\n"
    "serveraliveinterval 10\ncontrolpath /run/c\nconnecttimeout 10\ncontrolpersist 300\nloglevel "
    "ERROR\n";

TEST(SshCommandTest, WhatNobodyConfiguredIsPassed) {
  const SshCommand made = ssh_command(kTarget, "/run/c", kAllOurs);
  EXPECT_EQ(made.shared,
            "ssh -o ControlPath=/run/c -o ControlMaster=auto -o ControlPersist=300 -T "
            "-o BatchMode=yes -o RemoteCommand=none -o StrictHostKeyChecking=accept-new "
            "-o ConnectTimeout=10 -o ServerAliveInterval=10 -o LogLevel=ERROR me@box");
  EXPECT_EQ(made.control_path, "/run/c");
  EXPECT_EQ(made.direct,
            "ssh -o ControlPath=none -T -o BatchMode=yes -o RemoteCommand=none "
            "-o StrictHostKeyChecking=accept-new -o ConnectTimeout=10 -o ServerAliveInterval=10 "
            "-o LogLevel=ERROR me@box");
}

TEST(SshCommandTest, WhatSomebodyConfiguredIsNot) {
  const SshCommand made =
      ssh_command(kTarget, "/run/c",
                  "controlmaster false\nstricthostkeychecking ask\nserveraliveinterval 0\n"
                  "controlpath /home/me/.ssh/own\nconnecttimeout 60\ncontrolpersist no\n"
                  "loglevel VERBOSE\n");
  EXPECT_EQ(made.control_path, "");
  EXPECT_EQ(made.shared, "ssh -T -o BatchMode=yes -o RemoteCommand=none me@box");
  EXPECT_EQ(made.connect_timeout, std::chrono::seconds(60));
}

TEST(SshCommandTest, PortKeyAndFileAreWordsOfTheirOwn) {
  const SshConfig target{.host = "2001:db8::1",
                         .user = "me",
                         .port = 2222,
                         .key = "/my keys/id",
                         .config_file = "/my config"};
  const SshCommand made = ssh_command(target, "/run/c", "");
  EXPECT_EQ(made.shared,
            "ssh -F '/my config' -T -o BatchMode=yes -o RemoteCommand=none -p 2222 -i '/my "
            "keys/id' me@2001:db8::1");
  EXPECT_EQ(question(target, "/asked"),
            (std::vector<std::string>{"ssh", "-G", "-F", "/asked", "-p", "2222", "-i",
                                      "/my keys/id", "me@2001:db8::1"}));
}

TEST(SshCommandTest, OddPathsAreWrittenSoThatSshReadsThemBack) {
  const std::string config = layered_config(kTarget, "/a b/100%");
  EXPECT_NE(config.find("  ControlPath \"/a b/100%%\"\n"), std::string::npos) << config;
  const SshCommand made = ssh_command(kTarget, "/a b/100%", "controlpath /a b/100%\n");
  EXPECT_NE(made.shared.find("-o 'ControlPath=\"/a b/100%%\"'"), std::string::npos) << made.shared;
}

TEST(SshCommandTest, OurDefaultsStandBehindThePersonsConfiguration) {
  const std::string own = layered_config(kTarget, "/c");
  EXPECT_TRUE(own.starts_with("Include ~/.ssh/config\n")) << own;
  EXPECT_LT(own.find("/etc/ssh/ssh_config"), own.find("StrictHostKeyChecking"));
  SshConfig target = kTarget;
  target.config_file = "/one";
  const std::string given = layered_config(target, "/c");
  EXPECT_TRUE(given.starts_with("Include \"/one\"\n")) << given;
  EXPECT_EQ(given.find("/etc/ssh"), std::string::npos) << given;
}

TEST(SshCommandTest, OneTargetHasOneSocketAndItsPathIsShort) {
  const SshConfig far{.host = "2001:0db8:85a3:0000:0000:8a2e:0370:7334", .user = "somebody"};
  const std::string directory(kLongestControlDirectory, 'd');
  EXPECT_GE(directory.size(), 48u);
  EXPECT_LE((directory + "/" + control_name(far)).size() + 17, 103u);
  EXPECT_EQ(control_name(far), control_name(SshConfig(far)));
  SshConfig other = far;
  other.port = 23;
  EXPECT_NE(control_name(far), control_name(other));
  other = far;
  other.key = "/k";
  EXPECT_NE(control_name(far), control_name(other));
}

TEST(SshCommandTest, WhatSshWouldTakeForAnOptionIsRefused) {
  EXPECT_TRUE(check_ssh_config(kTarget));
  EXPECT_FALSE(check_ssh_config({.host = "box", .user = "-oProxyCommand=x"}));
  EXPECT_EQ(check_ssh_config({.host = "-box", .user = "me"}).error().message(),
            "TERMINAL_SSH_HOST: '-box' is invalid: it begins with '-'");
  EXPECT_EQ(check_ssh_config({.host = "a b", .user = "me"}).error().message(),
            "TERMINAL_SSH_HOST: 'a b' is invalid: it contains white space");
  const auto nobody = check_ssh_config({.host = "box"});
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().message(),
            "SSH environment requires ssh_host and ssh_user to be configured: "
            "TERMINAL_SSH_USER (terminal.ssh_user) is not set");
}

}  // namespace
}  // namespace talaria::environment::ssh
