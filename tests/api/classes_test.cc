// What a program has beside Runtime: Input, Processes, Approvals, Sandboxes.
#include <talaria/talaria.h>

#include <chrono>
#include <csignal>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/own_environment.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;

using ClassesTest = ApiTest;

TEST_F(ClassesTest, ACommandHasVariablesAndASessionKey) {
  Runtime runtime = make();
  const auto outcome = runtime.run({.text = "echo $A,$HERMES_SESSION_KEY; export B=2",
                                    .task = "t",
                                    .session_key = "chat-7",
                                    .variables = {"A=1"}});
  EXPECT_EQ(outcome->output, "1,chat-7\n");
  EXPECT_EQ(runtime.run({.text = "echo [$A]$B", .task = "t"})->output, "[]2\n");
}

TEST_F(ClassesTest, AnInputIsWrittenWhileTheCommandRuns) {
  Runtime runtime = make();
  const Input input = Input::make().value();
  std::string output;
  std::promise<void> echoed;
  std::promise<Result<Outcome>> ended;
  runtime.run(
      {.text = "while read -r line; do echo \"got $line\"; done; echo end >&2",
       .input = input,
       .on_output =
           [&](std::string_view bytes) {
             output += bytes;
             if (output == "got one\n") echoed.set_value();
           },
       .on_errors = [&](std::string_view bytes) { output += "[" + std::string(bytes) + "]"; }},
      {}, [&](Result<Outcome> outcome) { ended.set_value(std::move(outcome)); });
  EXPECT_TRUE(input.write("one\n"));
  echoed.get_future().wait();
  EXPECT_TRUE(input.write("two\n"));
  input.close();
  EXPECT_EQ(ended.get_future().get()->exit_code, 0);
  EXPECT_EQ(output, "got one\ngot two\n[end\n]");
}

TEST_F(ClassesTest, AWriterIsReleasedWhenTheCommandEnds) {
  Runtime runtime = make();
  const Input input = Input::make().value();
  std::thread writer([&] {
    const std::string piece(100'000, 'x');
    while (input.write(piece)) {
    }
  });
  EXPECT_TRUE(runtime.run({.text = "head -c 10", .input = input}));
  writer.join();
}

TEST_F(ClassesTest, ProcessesAreStartedWrittenToReadAndKilled) {
  Runtime runtime = make();
  Processes processes(runtime);
  const auto id = processes.start({.command = "echo begun; read -r line; echo \"$line\"; exit 3",
                                   .workdir = "/usr",
                                   .variables = {"A=1"},
                                   .takes_input = true});
  ASSERT_TRUE(id) << id.error().message();
  EXPECT_EQ(processes.find(*id)->cwd, "/usr");
  EXPECT_TRUE(processes.write(*id, "told\n").value());
  const auto ended = processes.wait(*id);
  EXPECT_EQ(ended->exit_code, 3);
  std::string output;
  const auto read = processes.read({.id = *id}, [&](std::string_view bytes) { output += bytes; });
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(output, "begun\ntold\n");
  EXPECT_TRUE(read->eof);

  const auto other = processes.start({.command = "sleep 600"});
  std::promise<Result<ProcessInfo>> waited;
  processes.wait(*other, {}, [&](Result<ProcessInfo> info) { waited.set_value(std::move(info)); });
  EXPECT_TRUE(processes.kill(*other));
  EXPECT_EQ(waited.get_future().get()->ended, ProcessEnd::killed);
  EXPECT_EQ(processes.list()->processes.size(), 2u);
  EXPECT_EQ(processes.signal("proc_000000000000", SIGTERM).error().kind(), ErrorKind::not_found);
  EXPECT_FALSE(processes.start({.command = "true", .variables = {"NOEQ"}}));
}

TEST_F(ClassesTest, MuchOutputIsReadInPieces) {
  Runtime runtime = make();
  Processes processes(runtime);
  const auto id = processes.start({.command = "seq 200000"});
  std::size_t bytes = 0;
  const auto read = processes.read({.id = *id, .follow = true},
                                   [&](std::string_view piece) { bytes += piece.size(); });
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(bytes, 1'288'895u);
  EXPECT_EQ(read->next, 1'288'895u);
  std::string part;
  EXPECT_EQ(
      processes.read({.id = *id, .from = 2, .max = 4}, [&](auto piece) { part += piece; })->next,
      6u);
  EXPECT_EQ(part, "2\n3\n");
}

TEST_F(ClassesTest, EventsAreFollowed) {
  Runtime runtime = make();
  Processes processes(runtime);
  const Cancel enough;
  std::string ended;
  const auto id = processes.start({.command = "echo over", .notify = true});
  ASSERT_TRUE(id);
  EXPECT_TRUE(processes.follow_events(
      {},
      [&](const ProcessEvent& event) {
        ended = event.process;
        enough.cancel();
        return true;
      },
      enough));
  EXPECT_EQ(ended, *id);
  EXPECT_EQ(processes.recent_events(0, 10)->size(), 1u);
}

TEST_F(ClassesTest, QuestionsAreHeardAndAnswered) {
  Runtime runtime = make();
  Approvals approvals(runtime);
  std::promise<ApprovalRequest> asked;
  auto listener =
      approvals.listen("chat", [&](const ApprovalRequest& request) { asked.set_value(request); });
  ASSERT_TRUE(listener) << listener.error().message();
  std::promise<Result<Outcome>> ended;
  runtime.run({.text = "rm -rf " + world_.directory("precious"), .session_key = "chat"}, {},
              [&](Result<Outcome> outcome) { ended.set_value(std::move(outcome)); });
  const ApprovalRequest request = asked.get_future().get();
  const auto open = approvals.list();
  ASSERT_EQ(open->size(), 1u);
  EXPECT_EQ(open->front().state, ApprovalState::open);
  EXPECT_EQ(approvals.answer("appr_000000000000", Answer::once).error().kind(),
            ErrorKind::not_found);
  ASSERT_TRUE(approvals.answer(request.id, Answer::once));
  EXPECT_EQ(ended.get_future().get()->exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(world_.path("precious")));
  EXPECT_EQ(approvals.list(true)->front().state, ApprovalState::used);
}

TEST_F(ClassesTest, SandboxesRunExecs) {
  Runtime runtime = make();
  Result<Sandboxes> opened = Sandboxes::open(runtime);
  ASSERT_TRUE(opened) << opened.error().message();
  Sandboxes& sandboxes = *opened;
  const auto made = sandboxes.create("me", {}, "key");
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->state, SandboxState::running);
  EXPECT_EQ(sandboxes.list("me")->size(), 1u);
  EXPECT_EQ(sandboxes.find("another", made->id).error().kind(), ErrorKind::not_found);
  const auto exec = sandboxes.start("me", made->id, {.id = "one", .command = "echo hi; exit 3"},
                                    std::chrono::seconds(60));
  ASSERT_TRUE(exec) << exec.error().message();
  EXPECT_EQ(exec->state, ExecState::completed);
  EXPECT_EQ(exec->returncode, 3);
  EXPECT_EQ(exec->output, "hi\n");
  std::string output;
  const auto read = sandboxes.follow(
      "me", made->id, "one", {}, [&](std::uint64_t, std::string_view bytes) { output += bytes; });
  EXPECT_TRUE(read) << read.error().message();
  EXPECT_EQ(output, "hi\n");
  std::promise<Result<Termination>> ended;
  sandboxes.terminate("me", made->id, false,
                      [&](Result<Termination> one) { ended.set_value(std::move(one)); });
  EXPECT_TRUE(ended.get_future().get());
}

TEST_F(ClassesTest, WhatHadARuntimeFailsWhenThatIsGone) {
  std::optional<Runtime> runtime(make());
  Processes processes(*runtime);
  Approvals approvals(*runtime);
  auto listener = approvals.listen("", [](const ApprovalRequest&) {});
  runtime.reset();
  EXPECT_EQ(processes.list().error().reason(), ErrorReason::closed);
  EXPECT_EQ(approvals.list().error().reason(), ErrorReason::closed);
  std::promise<ErrorReason> reason;
  processes.find("proc_000000000000", 0, [&](const Result<ProcessInfo>& found) {
    reason.set_value(found.error().reason());
  });
  EXPECT_EQ(reason.get_future().get(), ErrorReason::closed);
}

TEST_F(ClassesTest, TargetsHaveNames) {
  EXPECT_EQ(target_name(Target::singularity), "singularity");
  EXPECT_EQ(target_of("daytona"), Target::daytona);
  EXPECT_FALSE(target_of("teleporter"));
}

}  // namespace
}  // namespace talaria::test
