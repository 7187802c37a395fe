// What is remembered of processes in the background, without a runner around it; the times are made
// up.
#include "runner/jobs.h"

#include <csignal>
#include <filesystem>
#include <fstream>

#include "os/proc.h"
#include "runner/run_report.h"
#include "testing/runner/run_fixture.h"

namespace talaria::runner {
namespace {

using Kind = link::RunnerEvent::Kind;
using std::chrono::seconds;

class JobsTest : public RunFixture {
 protected:
  JobsTest() { std::filesystem::create_directory(jobs_directory()); }

  std::string jobs_directory() const { return root_ + "/jobs"; }
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(jobs_directory()), {});
  }

  std::shared_ptr<talaria::runner::Run> begin(const std::string& command,
                                              std::vector<std::string> watch) {
    RunRequest asked = request(command);
    asked.spec.lifetime = link::ProcessLifetime::session;
    asked.spec.watch = std::move(watch);
    asked.observers = {&jobs_};
    asked.with_stdin = true;
    return start(std::move(asked));
  }

  int count(Kind kind) {
    int count = 0;
    for (std::uint64_t after = 0;
         const link::RunnerEvent* event = jobs_.events().first_after(after);
         after = event->number) {
      count += event->kind == kind ? 1 : 0;
      last_ = *event;
    }
    return count;
  }

  WatchBreaker::TimePoint now_{std::chrono::hours(1)};
  link::RunnerEvent last_;
  Jobs jobs_{root_, "this boot", [this] { return now_; }};
};

TEST_F(JobsTest, AWatchThatMatchedTooOftenIsOneCompletionMore) {
  const auto run = begin("read line", {"hit"});
  ASSERT_TRUE(until([&] { return !run->awaiting_start(); }));
  for (int window = 0; window < 4; ++window) {
    jobs_.output_grew(*run, "hit\n");
    jobs_.output_grew(*run, "hit\n");
    now_ += seconds(15);
  }
  EXPECT_EQ(count(Kind::watch_match), 3);
  EXPECT_EQ(count(Kind::watch_disabled), 1);
  EXPECT_EQ(count(Kind::exit), 0);
  type(*run, "\n");
  ASSERT_TRUE(ends(*run));
  jobs_.output_grew(*run, "hit\n");
  EXPECT_EQ(count(Kind::watch_match), 3);
  EXPECT_EQ(count(Kind::watch_disabled), 1);
  EXPECT_EQ(count(Kind::exit), 1);
  EXPECT_EQ(last_.kind, Kind::exit);
  EXPECT_TRUE(last_.announced);  // which nobody had asked for at its start
}

// A shell without its command would be a process nobody knows of after a crash.
TEST_F(JobsTest, WhatCannotBeNotedGetsNoCommand) {
  std::filesystem::remove(jobs_directory());
  std::ofstream(jobs_directory()) << "no directory";
  const auto run = begin("touch ran", {});
  ASSERT_TRUE(ends(*run));
  ASSERT_TRUE(run->start_failure());
  EXPECT_EQ(run->start_failure()->kind(), ErrorKind::system);
  EXPECT_NE(run->start_failure()->message().find("Not a directory"), std::string::npos)
      << run->start_failure()->message();
  EXPECT_FALSE(std::filesystem::exists(root_ + "/work/ran"));
  EXPECT_EQ(count(Kind::exit), 0);
}

TEST_F(JobsTest, AnEndThatCannotBeNotedIsToldAllTheSame) {
  const auto run = begin("read line; exit 3", {});
  ASSERT_TRUE(until([&] { return !run->awaiting_start(); }));
  std::filesystem::remove_all(jobs_directory());
  type(*run, "\n");
  ASSERT_TRUE(ends(*run));
  EXPECT_EQ(count(Kind::exit), 1);
  EXPECT_EQ(last_.code, 3);
  const link::ExitReport report = exit_report(*run, 0, 0);
  ASSERT_EQ(report.notices.size(), 1u);
  EXPECT_NE(report.notices[0].find("No such file or directory"), std::string::npos);
}

// Whatever is kept of them, none is taken for running and nobody is signalled.
TEST_F(JobsTest, WhatCannotBeFoundAgainIsLostAndThenForgotten) {
  const JobJournal journal(jobs_directory());
  const auto note = [&](const char* process, pid_t pid, const char* boot) {
    const auto stat = os::read_process_stat(pid);
    EXPECT_TRUE(journal.write(
        {.entry = {.process = process, .pid = static_cast<std::uint64_t>(pid), .running = true},
         .start_time = stat ? stat->start_time : 1,
         .boot_id = boot}));
  };
  const auto bystander = begin("read line", {});
  ASSERT_TRUE(until([&] { return !bystander->awaiting_start(); }));
  const pid_t ended = [this] {
    const auto run = begin("true", {});
    EXPECT_TRUE(ends(*run));
    jobs_.forget(run->spec().process);
    return run->pid();
  }();
  jobs_.forget(bystander->spec().process);
  note("dead", ended, "this boot");
  note("elsewhere", bystander->pid(), "another boot");
  note("nobody", 0, "this boot");

  Jobs next(root_, "this boot");
  const std::vector<Job> recalled = next.recall();
  EXPECT_EQ(recalled.size(), 3u);
  for (const Job& job : recalled) {
    EXPECT_FALSE(job.entry.running) << job.entry.process;
    EXPECT_EQ(job.entry.ended, link::Ended::lost) << job.entry.process;
    next.forget(job.entry.process);
  }
  EXPECT_EQ(files(), 0);
  EXPECT_FALSE(bystander->finished());
  type(*bystander, "\n");
  EXPECT_TRUE(ends(*bystander));
  EXPECT_EQ(bystander->exit()->how, link::Ended::exited);
}

}  // namespace
}  // namespace talaria::runner
