#include "host/home_policy.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "host/config/setting_table.h"
#include "host/config/value.h"
#include "testing/temporary_directory.h"

namespace talaria::host {
namespace {

TEST(HomeMode, HasTheNamesOfTheSettingInAnyCase) {
  const struct {
    const char* name;
    HomeMode mode;
  } cases[] = {
      {"auto", HomeMode::automatic},
      {" Auto ", HomeMode::automatic},
      {"real", HomeMode::real},
      {"host", HomeMode::real},
      {"user", HomeMode::real},
      {"real_home", HomeMode::real},
      {"REAL-HOME", HomeMode::real},
      {"profile", HomeMode::profile},
      {"isolated", HomeMode::profile},
      {"profile_home", HomeMode::profile},
      {"profile-home", HomeMode::profile},
  };
  const Setting& row = setting("TERMINAL_HOME_MODE");
  for (const auto& c : cases) {
    const auto value = parse_value(row, {c.name});
    ASSERT_TRUE(value) << c.name;
    EXPECT_EQ(parse_home_mode(std::string_view(value->as_string())), c.mode) << c.name;
  }
  for (const char* name : {"", "mine"}) EXPECT_FALSE(parse_value(row, {name})) << name;
}

class HomePolicyTest : public testing::Test {
 protected:
  HomePolicyTest() { std::filesystem::create_directory(root_ + "/profile"); }

  Homes homes(HomeMode mode, const std::string& home, bool in_container = false,
              const std::string& profile = "profile") const {
    Caller caller{.variables = {"HOME=" + home}, .in_container = in_container};
    if (!real_.empty()) caller.variables.push_back("HERMES_REAL_HOME=" + real_);
    return choose_home(caller, {.mode = mode, .profile_home = root_ + "/" + profile});
  }

  const test::TemporaryDirectory temporary_;
  const std::string root_ = temporary_.path();
  std::string real_;
};

TEST_F(HomePolicyTest, AutoKeepsThePersonsHomeOnAHost) {
  EXPECT_EQ(homes(HomeMode::automatic, "/home/me").home, "/home/me");
}

TEST_F(HomePolicyTest, AutoTakesTheAgentsHomeInAContainerIfItIsThere) {
  EXPECT_EQ(homes(HomeMode::automatic, "/root", true).home, root_ + "/profile");
  EXPECT_EQ(homes(HomeMode::automatic, "/root", true, "missing").home, "/root");
}

TEST_F(HomePolicyTest, AutoRepairsAHomeThatIsTheAgentsOnAHost) {
  real_ = "/home/me";
  EXPECT_EQ(homes(HomeMode::automatic, root_ + "/profile").home, "/home/me");
  real_.clear();
  EXPECT_EQ(homes(HomeMode::automatic, root_ + "/profile").home, Caller{}.account_home());
}

TEST_F(HomePolicyTest, RealAndProfileSayWhichOne) {
  EXPECT_EQ(homes(HomeMode::real, "/home/me", true).home, "/home/me");
  EXPECT_EQ(homes(HomeMode::profile, "/home/me").home, root_ + "/profile");
  EXPECT_EQ(homes(HomeMode::profile, "/home/me", false, "missing").home, "/home/me");
}

TEST_F(HomePolicyTest, ThePersonsHomeIsAlwaysSaid) {
  EXPECT_EQ(homes(HomeMode::profile, "/home/me").real, "/home/me");
  real_ = "/home/person";
  EXPECT_EQ(homes(HomeMode::profile, root_ + "/profile").real, "/home/person");
}

}  // namespace
}  // namespace talaria::host
