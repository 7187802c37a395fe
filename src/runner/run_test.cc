// The states of a run, and what its observers are called with.
#include "runner/run.h"

#include <fcntl.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "os/cgroup.h"
#include "os/file.h"
#include "os/proc.h"
#include "runner/run_report.h"
#include "testing/runner/run_fixture.h"

namespace talaria::runner {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

// Writes down the calls, except those about output.
class Recorder final : public RunObserver {
 public:
  Result<void> before_start(const RunSpec&, pid_t, const std::string&) override {
    calls.emplace_back("before_start");
    return start;
  }
  Result<void> before_hand_over(const RunSpec&) override {
    calls.emplace_back("before_hand_over");
    return hand_over;
  }
  void run_changed(Run&) override { ++changes; }
  void run_handed_over(Run& run) override { note("handed_over", run); }
  void command_ended(Run& run, const shell::ShellState&, Result<shell::ShellState>&) override {
    note("command_ended", run);
  }
  void run_finished(Run& run) override { note("finished", run); }
  void run_gone(Run& run) override { note("gone", run); }

  std::vector<std::string> calls;
  Result<void> start;
  Result<void> hand_over;
  int changes = 0;
  bool leaves = false;  // after the first call

 private:
  void note(const char* call, Run& run) {
    calls.emplace_back(call);
    if (leaves) run.remove_observer(*this);
  }
};

class RunTest : public RunFixture {
 protected:
  std::shared_ptr<talaria::runner::Run> observed(RunRequest request) {
    request.observers = {&recorder_};
    return start(std::move(request));
  }
  std::shared_ptr<talaria::runner::Run> observed(const std::string& command) {
    return observed(request(command));
  }
  RunRequest with_hand_over(const std::string& command) {
    RunRequest asked = request(command);
    asked.spec.timeout = milliseconds(200);
    asked.spec.hand_over = true;
    return asked;
  }
  bool gone() {
    return until([this] { return !recorder_.calls.empty() && recorder_.calls.back() == "gone"; });
  }

  Recorder recorder_;
};

// Of standard output, then of standard error.
std::pair<std::string, std::string> streams_of(const talaria::runner::Run& run) {
  std::string out, errors;
  for (std::uint64_t from = 0; from < run.output().total();) {
    const auto piece = run.output().read(from, 1u << 20);
    (piece.errors ? errors : out) += piece.bytes;
    from += piece.bytes.size();
  }
  return {out, errors};
}

TEST_F(RunTest, ItsErrorsAreAStreamOfTheirOwnIfAsked) {
  run("true");  // so that there are warm shells, and one is used
  for (int i = 0; i < 3; ++i) {
    RunRequest asked =
        request("echo out; echo bad >&2; no-such-program; (sleep 0.1; echo late >&2)");
    asked.spec.errors_apart = true;
    asked.with_stdin = i == 2;
    const auto run = start(std::move(asked));
    ASSERT_TRUE(ends(*run));
    const auto [out, errors] = streams_of(*run);
    EXPECT_EQ(out, "out\n");
    EXPECT_EQ(errors, "bad\nbash: line 1: no-such-program: command not found\nlate\n");
    EXPECT_TRUE(until([&] { return run->output_closed(); }));
  }
  EXPECT_EQ(run("echo out; echo bad >&2"), "out\nbad\n");
}

TEST_F(RunTest, ItsErrorsAreApartAlsoIfTheSessionHasAFunctionExec) {
  run("exec() { echo mine; }; alias exec='echo alias'");
  for (int i = 0; i < 2; ++i) {
    RunRequest asked = request("echo bad >&2; exec");
    asked.spec.errors_apart = true;
    const auto run = start(std::move(asked));
    ASSERT_TRUE(ends(*run));
    EXPECT_EQ(streams_of(*run), std::pair(std::string("mine\n"), std::string("bad\n")));
  }
}

TEST_F(RunTest, ItsObserversAreCalledInTheOrderOfItsLife) {
  const auto run = observed("exit 3");
  EXPECT_TRUE(run->awaiting_start());
  EXPECT_FALSE(run->exit());
  ASSERT_TRUE(gone());
  EXPECT_THAT(recorder_.calls, ElementsAre("before_start", "command_ended", "finished", "gone"));
  EXPECT_EQ(run->exit()->status, ExitStatus(Exited{3}));
}

// The kernel's count has to grow while the command runs, and SIGKILL has to be how it ended.
TEST_F(RunTest, OnlyTheKernelsCountMakesAKillOneForWantOfMemory) {
  const std::string events = root_ + "/memory.events";
  const auto write = [&](const std::string& text) { std::ofstream(events) << text; };
  struct Case {
    std::string before, meanwhile, end;
    bool expected;
  };
  const std::string none = "low 0\noom 2\noom_kill 2\noom_group_kill 0\n";
  const std::string one = "low 0\noom 3\noom_kill 3\noom_group_kill 0\n";
  for (const Case& c : {Case{none, one, "kill -9 $$", true},  // the shell itself
                        {none, one, "sh -c 'kill -9 $$'; exit $?", true},
                        {none, none, "kill -9 $$", false},
                        {one, one, "kill -9 $$", false},  // another command's
                        {none, one, "exit 0", false},
                        {none, one, "kill -15 $$", false},
                        {"low 0\n", one, "kill -9 $$", false},  // nobody said
                        {none, "low 0\n", "kill -9 $$", false}}) {
    write(c.before);
    host_->oom_kills =
        std::make_shared<const os::OomKills>(os::open_file(events, O_RDONLY).value());
    const auto run = start(request("echo up; until [ -e go ]; do sleep 0.01; done; " + c.end));
    ASSERT_TRUE(until([&] { return shown(*run) == "up\n"; })) << shown(*run);
    write(c.meanwhile);
    std::ofstream(root_ + "/work/go") << "x";
    ASSERT_TRUE(ends(*run));
    EXPECT_EQ(run->exit()->oom_killed, c.expected) << c.before << c.meanwhile << c.end;
    std::filesystem::remove(root_ + "/work/go");
  }
}

TEST_F(RunTest, AnObserverThatLeavesIsNotCalledAgain) {
  recorder_.leaves = true;
  const auto run = observed("true");
  ASSERT_TRUE(ends(*run));
  EXPECT_THAT(recorder_.calls, ElementsAre("before_start", "command_ended"));
}

TEST_F(RunTest, AnObserverCanPreventTheStart) {
  recorder_.start = fail(ErrorKind::limit, "not now");
  const auto run = observed("touch ran");
  ASSERT_TRUE(ends(*run));
  ASSERT_TRUE(run->start_failure());
  EXPECT_EQ(run->start_failure()->kind(), ErrorKind::limit);
  EXPECT_EQ(run->start_failure()->message(), "the command was not started: not now");
  EXPECT_FALSE(std::filesystem::exists(root_ + "/work/ran"));
}

TEST_F(RunTest, AfterAHandOverItRunsInTheBackground) {
  RunRequest asked = with_hand_over("read line; exit 4");
  asked.with_stdin = true;
  const auto run = observed(std::move(asked));
  ASSERT_TRUE(until([&] { return run->record().handed_over_at.has_value(); }));
  EXPECT_TRUE(run->spec().background());
  EXPECT_FALSE(run->finished());
  EXPECT_EQ(handed_over_report(*run, 0, 0).ended, link::Ended::handed_over);
  EXPECT_TRUE(session_->retire());
  type(*run, "\n");
  ASSERT_TRUE(gone());
  EXPECT_THAT(recorder_.calls,
              ElementsAre("before_start", "before_hand_over", "handed_over", "finished", "gone"));
  EXPECT_EQ(exit_report(*run, 0, 0).code, 4);
}

TEST_F(RunTest, ARefusedHandOverIsATimeout) {
  recorder_.hand_over = fail(ErrorKind::limit, "too many");
  const auto run = observed(with_hand_over("sleep 60"));
  ASSERT_TRUE(gone());
  EXPECT_EQ(run->exit()->how, link::Ended::timed_out);
  EXPECT_THAT(run->record().notices, ElementsAre(testing::HasSubstr("too many")));
}

TEST_F(RunTest, TheFirstKillIsReported) {
  const auto run = observed("trap '' TERM; echo on; sleep 60");
  ASSERT_TRUE(shows(*run, "on"));
  run->kill(link::Ended::killed, milliseconds(5000), "first");
  EXPECT_TRUE(run->tree().being_killed());
  run->kill(link::Ended::timed_out, milliseconds(0), "second");
  ASSERT_TRUE(gone());
  EXPECT_EQ(run->exit()->how, link::Ended::killed);
  EXPECT_EQ(run->exit()->source, "first");
  EXPECT_FALSE(run->tree().being_killed());
}

// Its output is read to the end of what the shell printed, and it finishes, while a child prints
// on.
TEST_F(RunTest, ItFinishesWithItsShellAndIsGoneWithItsTree) {
  const auto run = observed("echo shell; (sleep 0.3; echo child) & exit 0");
  ASSERT_TRUE(until([&] { return run->finished(); }));
  EXPECT_EQ(shown(*run), "shell\n");
  EXPECT_FALSE(run->tree().empty());
  EXPECT_GE(exit_report(*run, 0, 0).background_children, 1u);  // its sleep may have started
  ASSERT_TRUE(gone());
  EXPECT_TRUE(until([&] { return run->output_closed(); }));
  EXPECT_EQ(shown(*run), "shell\nchild\n");
}

TEST_F(RunTest, ALostReaperEndsTheRun) {
  int lost = 0;
  host_->on_lost_reaper = [&] { ++lost; };
  const auto run = observed("echo on; sleep 60");
  ASSERT_TRUE(shows(*run, "on"));
  const pid_t reaper = os::read_process_stat(run->pid())->parent;
  ASSERT_EQ(::kill(reaper, SIGKILL), 0);
  ASSERT_TRUE(gone());
  EXPECT_TRUE(run->tree().lost());
  EXPECT_EQ(run->exit()->how, link::Ended::lost);
  EXPECT_EQ(run->exit()->status, ExitStatus(Signaled{SIGKILL}));
  EXPECT_EQ(lost, 1);
  ::kill(run->pid(), SIGKILL);  // it became a child of init
}

// A request to kill the children of a command that had ended was never answered.
TEST_F(RunTest, ALostReaperEndsAKill) {
  RunRequest asked = request("(trap '' TERM; echo child; exec sleep 60) & read line");
  asked.with_stdin = true;
  const auto run = observed(std::move(asked));
  ASSERT_TRUE(shows(*run, "child"));
  const pid_t reaper = os::read_process_stat(run->pid())->parent;
  const std::vector<pid_t> tree = os::descendants(reaper);
  type(*run, "\n");
  ASSERT_TRUE(until([&] { return run->finished(); }));
  run->kill(link::Ended::killed, milliseconds(60000));
  ASSERT_TRUE(run->tree().being_killed());
  recorder_.changes = 0;
  ASSERT_EQ(::kill(reaper, SIGKILL), 0);
  ASSERT_TRUE(gone());
  EXPECT_FALSE(run->tree().being_killed());
  EXPECT_GT(recorder_.changes, 0);
  for (const pid_t pid : tree) ::kill(pid, SIGKILL);
}

}  // namespace
}  // namespace talaria::runner
