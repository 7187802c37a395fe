// How long processes outlive the links that watch them.
#include "runner/links.h"

#include "testing/runner/run_fixture.h"

namespace talaria::runner {
namespace {

using std::chrono::milliseconds;

class LinksTest : public RunFixture {
 protected:
  std::shared_ptr<talaria::runner::Run> watched(const std::string& command,
                                                link::ProcessLifetime lifetime) {
    RunRequest asked = request(command);
    asked.spec.lifetime = lifetime;
    asked.observers = {&links_, &runs_};
    auto run = start(std::move(asked));
    runs_.insert(run);
    links_.watch(*run, watcher_);
    return run;
  }

  class Watcher final : public RunObserver {};

  Watcher watcher_;
  class NoArchive final : public RunArchive {
    void archive(talaria::runner::Run&) override {}
    void forget(const talaria::runner::Run&) override {}
    void forget_archived_in(const std::string&) override {}
    std::shared_ptr<talaria::runner::Run> recall(const std::string&) override { return nullptr; }
  };

  NoArchive archive_;
  RunTable runs_{archive_};
  Links links_{loop_, "instance", runs_, [] {}, milliseconds(300)};
};

TEST_F(LinksTest, ACommandInTheForegroundEndsWithoutALink) {
  const auto run = watched("sleep 60", link::ProcessLifetime::foreground);
  links_.unwatch(*run, watcher_);
  ASSERT_TRUE(ends(*run));
  EXPECT_EQ(run->exit()->how, link::Ended::killed);
  EXPECT_EQ(run->exit()->source, kSourceLifetime);
}

TEST_F(LinksTest, AWatcherThatComesBackSavesIt) {
  const auto run = watched("sleep 1", link::ProcessLifetime::foreground);
  links_.unwatch(*run, watcher_);
  links_.watch(*run, watcher_);
  ASSERT_TRUE(ends(*run));
  EXPECT_EQ(run->exit()->how, link::Ended::exited);
}

TEST_F(LinksTest, AProcessInTheBackgroundNeedsNone) {
  const auto run = watched("sleep 1", link::ProcessLifetime::session);
  links_.unwatch(*run, watcher_);
  ASSERT_TRUE(ends(*run));
  EXPECT_EQ(run->exit()->how, link::Ended::exited);
}

}  // namespace
}  // namespace talaria::runner
