// What is said when a login at an ssh host does not lead to a command: the cause, whatever else the
// host prints. And who says it without running one: doctor.
#include <fstream>
#include <string>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "targets/ssh_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kBanner = "Property of Acme Corp. Go away.";
constexpr const char* kShellEnded = "the login shell there ended before it ran a command";

// A host with a banner. The level is what the person's own configuration says of it.
class SshLoginTest : public SshTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    SshTest::SetUp();
    if (IsSkipped()) return;
    std::ofstream(world_.path("banner")) << kBanner << "\n";
    server_->configure("Banner " + world_.path("banner"));
    use_level(GetParam());
  }
  // Without the level that the configuration of the tests has. Empty: nobody says one.
  void use_level(const std::string& level) {
    std::string text = os::read_file(server_->config(), 1 << 16).value();
    const std::string usual = "LogLevel ERROR";
    ASSERT_TRUE(text.contains(usual));
    text.replace(text.find(usual), usual.size(), level.empty() ? "" : "LogLevel " + level);
    use_config(text);
  }
  bool banner_is_shown() const { return GetParam() != std::string(); }
};

TEST_P(SshLoginTest, AnRcFileThatExitsIsTheCauseAndTheBannerIsNot) {
  server_->write(".bashrc", "exit 0\n");
  const Finished refused = world_.exec("true");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_THAT(refused.err, HasSubstr(kShellEnded));
  EXPECT_THAT(refused.err, HasSubstr("an rc file (~/.bashrc) may contain `exit`"));
  EXPECT_EQ(refused.err.contains(kBanner), banner_is_shown()) << refused.err;
  if (banner_is_shown()) {
    EXPECT_LT(refused.err.find(kShellEnded), refused.err.find(kBanner)) << refused.err;
  }
  EXPECT_THAT(refused.err, Not(HasSubstr("TERMINAL_SSH_HOST"))) << "the host is not the cause";
}

// The program that is the shell of such an account answers every login.
TEST_P(SshLoginTest, AnAccountWithoutALoginSaysSo) {
  server_->configure("ForceCommand /usr/sbin/nologin");
  const Finished refused = world_.exec("true");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_THAT(refused.err, HasSubstr("This account is currently not available"));
  EXPECT_THAT(refused.err, HasSubstr(kShellEnded));
}

TEST_P(SshLoginTest, ARefusedKeyIsNotTakenForAShellThatEnded) {
  server_->configure("AuthorizedKeysFile none");
  const Finished refused = world_.exec("true");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_THAT(refused.err, HasSubstr("Permission denied"));
  EXPECT_THAT(refused.err, Not(HasSubstr(kShellEnded)));
}

TEST_P(SshLoginTest, WithABannerCommandsRun) {
  const Finished done = world_.exec("echo fine");
  EXPECT_EQ(done.out, "fine\n") << done.err;
}

INSTANTIATE_TEST_SUITE_P(Levels, SshLoginTest, testing::Values("", "INFO"), [](const auto& level) {
  return level.param == std::string() ? "Unsaid" : std::string(level.param);
});

class SshDoctorTest : public SshTest {
 protected:
  // "verdict found" of the target.
  std::string target() {
    const Finished done = world_.run({"doctor", "--json"});
    code_ = done.code();
    const json::value all = json::parse(done.out);
    for (const json::value& one : all.at("findings").as_array()) {
      if (one.at("check").as_string() != "target") continue;
      return std::string(one.at("verdict").as_string()) + " " +
             std::string(one.at("found").as_string());
    }
    return "no such check";
  }

  int code_ = -1;
};

// "ssh is configured; the connection was not tested" was all it said.
TEST_F(SshDoctorTest, ItAsksTheHost) {
  EXPECT_EQ(target(), "ok ssh is available");
  EXPECT_EQ(code_, 0);
  EXPECT_FALSE(there()) << "it made an environment";
  server_->write(".bashrc", "exit 0\n");
  EXPECT_THAT(target(), StartsWith("fail SSH connection failed: "));
  EXPECT_THAT(target(), HasSubstr(kShellEnded));
  EXPECT_EQ(code_, 1);
  server_->stop();
  ASSERT_TRUE(eventually([] { return masters().empty(); }));
  EXPECT_THAT(target(), HasSubstr("Connection refused"));
  EXPECT_EQ(code_, 1);
  server_->start();
}

}  // namespace
}  // namespace talaria::test
