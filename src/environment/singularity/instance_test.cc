// What the engine that tests/targets has does not do: refuse limits, or take its time.
#include "environment/singularity/instance.h"

#include <algorithm>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <gmock/gmock.h>

#include "environment/singularity/singularity_test_support.h"
#include "testing/run_to_end.h"

namespace talaria::environment::singularity {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Its instances are files, and what it was started with is in calls.
constexpr const char* kEngine =
    "case \"$1 $2\" in\n"
    "  version*) echo 1.4 ;;\n"
    "  'instance start')\n"
    "    echo \"$@\" >>$DIR/calls\n"
    "    case \"$*\" in *--memory*) [ ! -e $DIR/strict ] || { echo \"$COMPLAINT\" >&2; exit 255; } "
    ";; esac\n"
    "    for name; do :; done; sleep 0.05; : >$DIR/$name ;;\n"
    "  'instance list')\n"
    "    if [ -e $DIR/$4 ]; then echo '{\"instances\":[{}]}'; else echo '{\"instances\":[]}'; fi "
    ";;\n"
    "  'instance stop') rm $DIR/$3 ;;\n"
    "esac\n";

class SingularityInstanceTest : public SingularityTest {
 protected:
  SingularityInstanceTest() { make_engine(kEngine); }

  // The machine has no limits to give, and says so like this.
  void refuse_limits(const std::string& complaint) {
    make_engine("COMPLAINT='" + complaint + "'\n" + kEngine);
    ASSERT_TRUE(os::replace_file(directory_ + "/strict", ""));
  }

  std::string home() const { return directory_ + "/home"; }
  SingularityInstance instance() {
    const SingularityConfig config{.image = "/x.sif", .scratch_dir = directory_ + "/scratch"};
    const EnvironmentSpec spec{.task = "t",
                               .home = home(),
                               .container = {.cpu = 1, .memory_mb = 100},
                               .lifetime = std::chrono::seconds(60)};
    return SingularityInstance(loop_.get_executor(), *SingularityEngine::find(), config, spec);
  }
  Result<void> find(SingularityInstance& wanted) {
    return test::run_to_end(loop_, wanted.find_or_start());
  }
  auto starts() const { return std::ranges::count(content("calls"), '\n'); }

  asio::io_context loop_{1};
};

TEST_F(SingularityInstanceTest, ItIsStartedOnceAndFoundByTheNext) {
  SingularityInstance first = instance();
  ASSERT_TRUE(find(first));
  SingularityInstance second = instance();
  ASSERT_TRUE(find(second));
  EXPECT_EQ(first.place(), second.place());
  EXPECT_EQ(starts(), 1);
  EXPECT_THAT(
      content("calls"),
      HasSubstr("--overlay " + directory_ + "/scratch/hermes-overlays/overlay-t --bind " +
                directory_ +
                "/home/talaria/bin:/opt/talaria-runner:ro --memory 100M --cpus 1 /x.sif hermes_"));
  EXPECT_THAT(second.take_news(), IsEmpty());
}

TEST_F(SingularityInstanceTest, TwoThatComeAtOnceStartOne) {
  using asio::experimental::awaitable_operators::operator&&;
  SingularityInstance first = instance();
  SingularityInstance second = instance();
  const auto both = test::run_to_end(loop_, first.find_or_start() && second.find_or_start());
  EXPECT_TRUE(std::get<0>(both) && std::get<1>(both));
  EXPECT_EQ(starts(), 1);
  EXPECT_EQ(first.place(), second.place());
}

TEST_F(SingularityInstanceTest, LimitsTheMachineRefusesAreLeftOutAndThatIsSaid) {
  refuse_limits("FATAL: cannot apply Cgroup limits: permission denied");
  SingularityInstance one = instance();
  ASSERT_TRUE(find(one));
  EXPECT_EQ(starts(), 2);
  EXPECT_THAT(one.take_news(), ElementsAre(testing::AllOf(HasSubstr("no limits of memory and CPU"),
                                                          HasSubstr("permission denied"))));
  EXPECT_THAT(one.take_news(), IsEmpty());
}

TEST_F(SingularityInstanceTest, AnyOtherFailureIsNotTriedAgainWithoutLimits) {
  refuse_limits("FATAL: no space left on device");
  SingularityInstance one = instance();
  const auto found = find(one);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind(), ErrorKind::unavailable);
  EXPECT_EQ(found.error().message(), "Failed to start instance: FATAL: no space left on device");
  EXPECT_EQ(starts(), 1);
}

TEST_F(SingularityInstanceTest, RemovingItStopsItAndForgetsTheLease) {
  SingularityInstance one = instance();
  ASSERT_TRUE(find(one));
  EXPECT_THAT(known_leases(home()), testing::SizeIs(1));
  ASSERT_TRUE(test::run_to_end(loop_, one.close(true)));
  EXPECT_THAT(known_leases(home()), IsEmpty());
  EXPECT_THAT(content("home/singularity_snapshots.json"), HasSubstr("\"t\":"));
  SingularityInstance next = instance();
  ASSERT_TRUE(find(next));
  EXPECT_EQ(starts(), 2);
}

// It would end somebody else's instance.
TEST_F(SingularityInstanceTest, RemovingItAfterOthersHaveReplacedItDoesNothing) {
  SingularityInstance one = instance();
  ASSERT_TRUE(find(one));
  const std::string name = one.place().substr(one.place().find(' ') + 1);
  std::filesystem::remove(directory_ + "/" + name);
  for (const KnownLease& lease : known_leases(home())) {
    forget_lease(home(), lease.facts);
  }
  SingularityInstance two = instance();
  ASSERT_TRUE(find(two));
  ASSERT_TRUE(test::run_to_end(loop_, one.close(true)));
  EXPECT_THAT(known_leases(home()), testing::SizeIs(1));
}

}  // namespace
}  // namespace talaria::environment::singularity
