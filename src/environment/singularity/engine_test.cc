#include "environment/singularity/engine.h"

#include <sys/wait.h>

#include "environment/singularity/singularity_test_support.h"
#include "os/spawn.h"
#include "testing/run_to_end.h"

namespace talaria::environment::singularity {
namespace {

using SingularityEngineTest = SingularityTest;

TEST_F(SingularityEngineTest, NeitherProgramIsAnErrorThatSaysSo) {
  ::setenv("PATH", directory_.c_str(), 1);
  const auto engine = SingularityEngine::find();
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().kind(), ErrorKind::unavailable);
  EXPECT_TRUE(engine.error().message().starts_with(
      "Neither 'apptainer' nor 'singularity' was found in PATH."))
      << engine.error().message();
}

TEST_F(SingularityEngineTest, ApptainerIsPreferred) {
  ::setenv("PATH", (directory_ + "/bin").c_str(), 1);
  make_engine("", "singularity");
  EXPECT_EQ(SingularityEngine::find()->program(), directory_ + "/bin/singularity");
  make_engine("");
  EXPECT_EQ(SingularityEngine::find()->program(), directory_ + "/bin/apptainer");
}

TEST_F(SingularityEngineTest, OneThatDoesNotWorkIsQuoted) {
  make_engine("echo 'no user namespaces' >&2; exit 7");
  const auto checked = test::run_to_end(SingularityEngine::find()->check());
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message(),
            "'apptainer version' failed (exit code 7): no user namespaces");
  EXPECT_EQ(checked.error().kind(), ErrorKind::unavailable);
}

TEST_F(SingularityEngineTest, OnlyTwoHundredCharactersOfItsComplaintAreShown) {
  make_engine("printf '%0500d' 0 >&2; exit 1");
  const auto checked = test::run_to_end(SingularityEngine::find()->check());
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message(),
            "'apptainer version' failed (exit code 1): " + std::string(200, '0'));
}

TEST_F(SingularityEngineTest, AFailedStartSaysWhy) {
  make_engine("echo 'FATAL: no such image' >&2; exit 255");
  const auto started =
      test::run_to_end(SingularityEngine::find()->start({.image = "x.sif"}, "hermes_x"));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message(), "Failed to start instance: FATAL: no such image");
}

TEST_F(SingularityEngineTest, AnInstanceThatIsNotThereNeedNotBeStopped) {
  make_engine("[ \"$2\" = list ] && { echo '{\"instances\":[]}'; exit; }; echo no >&2; exit 255");
  EXPECT_TRUE(test::run_to_end(SingularityEngine::find()->stop("hermes_x")));
  make_engine("[ \"$2\" = list ] && { echo '{\"instances\":[{}]}'; exit; }; echo no >&2; exit 255");
  const auto stopped = test::run_to_end(SingularityEngine::find()->stop("hermes_x"));
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message(), "instance hermes_x could not be stopped: no");
}

// It is listed as long as it is not reaped; the instance was taken for alive, and never replaced.
TEST_F(SingularityEngineTest, AnInstanceThatDiedButIsListedIsNotRunning) {
  const auto pid = os::spawn_process({.path = "true", .argv = {"true"}});
  ASSERT_TRUE(pid);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(*pid), &ended, WEXITED | WNOWAIT), 0);
  const auto listed = [this](pid_t process) {
    make_engine("echo '{\"instances\":[{\"pid\":" + std::to_string(process) + "}]}'");
    return *test::run_to_end(SingularityEngine::find()->is_running("hermes_x"));
  };
  EXPECT_FALSE(listed(*pid));
  EXPECT_TRUE(listed(::getpid()));
  ::waitpid(*pid, nullptr, 0);
  EXPECT_FALSE(listed(*pid));
}

// Whether an instance lives must not be guessed.
TEST_F(SingularityEngineTest, AListThatCannotBeReadIsNoAnswer) {
  const auto is_running = [] {
    return test::run_to_end(SingularityEngine::find()->is_running("hermes_x"));
  };
  make_engine("echo 'not json'");
  EXPECT_FALSE(is_running());
  make_engine("echo locked >&2; exit 1");
  const auto failed = is_running();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message(), "'apptainer instance list' failed: locked");
}

}  // namespace
}  // namespace talaria::environment::singularity
