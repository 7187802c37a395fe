// Who is asked before a dangerous command runs, seen from outside: at a terminal, from another
// program, and with nobody there. `rm -rf` of a directory stands for all that is dangerous.
#include "contract/approvals_test.h"

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/terminal.h"
#include "support/tmux.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

TEST_F(ApprovalsTest, WithNobodyToAskItIsRefusedWith126AndSaysHowToAllowIt) {
  const Finished refused = world_.exec(rm());
  EXPECT_EQ(refused.code(), 126);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("BLOCKED: recursive delete"));
  EXPECT_THAT(refused.err, HasSubstr("approvals.headless: allow"));
  EXPECT_TRUE(is_there());
  EXPECT_FALSE(world_.runner()) << "nothing was made for it";

  world_.set("TALARIA_APPROVALS_HEADLESS", "allow");
  EXPECT_EQ(world_.exec(rm()).code(), 0);
  EXPECT_FALSE(is_there());
}

TEST_F(ApprovalsTest, ARefusalInJsonIsTheToolsShape) {
  const Finished refused = world_.run({"exec", "--json", rm()});
  EXPECT_EQ(refused.code(), 126);
  const json::object result = json::parse(refused.out).as_object();
  EXPECT_EQ(result.at("output"), "");
  EXPECT_EQ(result.at("exit_code"), -1);
  EXPECT_EQ(result.at("status"), "blocked");
  EXPECT_EQ(result.at("target"), "local");
  EXPECT_TRUE(result.at("transport").is_null());

  for (const char* background : {"false", "true"}) {
    const Finished called = world_.run(
        {"call", "terminal",
         R"({"force":true,"command":")" + rm() + R"(","background":)" + background + "}"});
    EXPECT_EQ(called.code(), 1);
    const json::object answer = json::parse(called.out).as_object();
    EXPECT_EQ(answer.at("status"), "blocked") << "a model's force lifts nothing";
    EXPECT_THAT(std::string(answer.at("error").as_string()), HasSubstr("NOT consented"));
  }
  EXPECT_EQ(world_.run({"start", rm()}).code(), 1);
  EXPECT_TRUE(is_there());
}

TEST_F(ApprovalsTest, TheFloorHoldsInYoloMode) {
  world_.set("HERMES_YOLO_MODE", "1");
  const Finished refused = world_.exec("rm -rf / --no-such-option-of-rm");
  EXPECT_EQ(refused.code(), 126);
  EXPECT_THAT(refused.err, HasSubstr("BLOCKED (hardline)"));
  EXPECT_EQ(world_.exec(rm()).code(), 0);
}

TEST_F(ApprovalsTest, APersonAtTheTerminalIsAskedAndTheProgramsInputIsNotTouched) {
  // Its standard input is a pipe: what the command is to read stays for it.
  Program terminal(on_terminal(
      world_, "echo for the command | " + World::talaria() + " exec --stdin '" + rm() + "; cat'"));
  ASSERT_TRUE(terminal.read_until_contains("Run it?")) << terminal.out();
  EXPECT_THAT(terminal.out(), HasSubstr("  | " + rm() + "; cat"));
  EXPECT_TRUE(is_there());
  terminal.write("o\n");
  ASSERT_TRUE(terminal.wait());
  EXPECT_THAT(terminal.out(), HasSubstr("for the command"));
  EXPECT_THAT(terminal.out(), Not(HasSubstr("no longer needed")));
  EXPECT_FALSE(is_there());
  EXPECT_THAT(audit(), HasSubstr(R"("answer":"once")"));
}

// `y` meant no, which nobody expects.
TEST_F(ApprovalsTest, AtTheTerminalYMeansYesOnce) {
  Program terminal(on_terminal(world_, World::talaria() + " exec '" + rm() + "'; echo code=$?"));
  ASSERT_TRUE(terminal.read_until_contains("Run it?")) << terminal.out();
  EXPECT_THAT(terminal.out(),
              HasSubstr("in " + world_.path("work") + ", task default, target local"));
  terminal.write("y\n");
  ASSERT_TRUE(terminal.wait());
  EXPECT_THAT(terminal.out(), HasSubstr("code=0"));
  EXPECT_FALSE(is_there());
  EXPECT_THAT(audit(), HasSubstr(R"("answer":"once")"));
}

TEST_F(ApprovalsTest, TheOnlyQuestionNeedsNoIdAndABeginningIsEnough) {
  use_queue();
  EXPECT_THAT(world_.run({"approve"}).err, HasSubstr("no command waits for approval"));
  const auto first = world_.start({"exec", rm()});
  const std::string id = question();
  const auto second = world_.start({"exec", rm() + "-2"});
  ASSERT_TRUE(eventually([&] { return pending().size() == 2; }));
  const Finished several = world_.run({"deny"});
  EXPECT_EQ(several.code(), 1);
  EXPECT_THAT(several.err, HasSubstr("2 commands wait for approval; name one of "));
  EXPECT_THAT(several.err, HasSubstr(id));
  EXPECT_TRUE(is_there());
  std::string other(pending()[0].at("id").as_string());
  if (other == id) other = std::string(pending()[1].at("id").as_string());
  EXPECT_EQ(world_.run({"deny", other.substr(5)}).out, "denied " + other + "\n");
  EXPECT_EQ(exit_code_of(second->wait().value()), 126);
  EXPECT_EQ(world_.run({"approve"}).code(), 0);
  EXPECT_EQ(exit_code_of(first->wait().value()), 0);
  EXPECT_FALSE(is_there());
}

// It was only at that terminal: `talaria approve` in another one found nothing to answer.
TEST_F(ApprovalsTest, AQuestionAtATerminalCanBeAnsweredInAnotherOne) {
  Program terminal(on_terminal(world_, World::talaria() + " exec '" + rm() + "'; echo code=$?"));
  ASSERT_TRUE(terminal.read_until_contains("Run it?")) << terminal.out();
  const Finished approved = world_.run({"approve", "--all"});
  EXPECT_EQ(approved.code(), 0) << approved.err;
  ASSERT_TRUE(terminal.wait());
  EXPECT_THAT(terminal.out(), HasSubstr("code=0"));
  EXPECT_FALSE(is_there());
  EXPECT_THAT(world_.run({"approvals"}).out, Not(HasSubstr("appr_")));
}

TEST_F(ApprovalsTest, AtTheTerminalATypingErrorIsNoAnswer) {
  Program terminal(on_terminal(world_, World::talaria() + " exec '" + rm() + "'; echo code=$?"));
  ASSERT_TRUE(terminal.read_until_contains("Run it?")) << terminal.out();
  terminal.write("yes please\n");
  ASSERT_TRUE(terminal.read_until_contains("Answer n, y")) << terminal.out();
  EXPECT_TRUE(is_there());
  terminal.write("y\n");
  ASSERT_TRUE(terminal.wait());
  EXPECT_THAT(terminal.out(), HasSubstr("code=0"));
  EXPECT_FALSE(is_there());
}

TEST_F(ApprovalsTest, AtTheTerminalNoAnswerIsNo) {
  for (const char* typed : {"\n", "n\n", "no\n", "d\n", "\x04"}) {
    Program terminal(on_terminal(world_, World::talaria() + " exec '" + rm() + "'; echo code=$?"));
    ASSERT_TRUE(terminal.read_until_contains("Run it?")) << terminal.out();
    terminal.write(typed);
    ASSERT_TRUE(terminal.wait());
    EXPECT_THAT(terminal.out(), HasSubstr("code=126")) << typed;
    EXPECT_TRUE(is_there());
  }
}

TEST_F(ApprovalsTest, AQuestionIsShownAgainToWhoeverComesBackToIt) {
  Tmux tmux(world_);
  tmux.open("w", "PS1='ready''> ' exec bash --norc");
  ASSERT_TRUE(tmux.shows("w", "ready>"));
  tmux.enter("w", World::talaria() + " exec '" + rm() + "'");
  ASSERT_TRUE(tmux.shows("w", "Run it?"));
  tmux.press("w", {"C-z"});
  ASSERT_TRUE(tmux.shows("w", "Stopped"));
  tmux.enter("w", "clear; echo back; fg");
  ASSERT_TRUE(tmux.shows("w", "back"));
  ASSERT_TRUE(tmux.shows("w", "Run it?"));
  tmux.enter("w", "nope");
  ASSERT_TRUE(tmux.shows("w", "Answer n, y")) << "a typing error is no refusal";
  tmux.enter("w", "no");
  ASSERT_TRUE(tmux.shows("w", "denied; the command was not run"));
  ASSERT_TRUE(tmux.shows("w", "ready>")) << "it has ended";
  EXPECT_TRUE(is_there());
}

TEST_F(ApprovalsTest, AProcessThatWaitsForApprovalSaysSo) {
  world_.set("TALARIA_APPROVALS_HEADLESS", "queue");
  const Finished started = world_.run({"start", rm()});
  EXPECT_EQ(started.code(), 1);
  EXPECT_THAT(started.err,
              testing::StartsWith("talaria: not started: the command needs approval ("));
  EXPECT_THAT(started.err,
              testing::ContainsRegex("Approve it with 'talaria approve appr_[0-9a-f]+', "
                                     "then run it again\\.\n$"));
  const Finished shell = world_.run({"exec", "-it", "bash"});
  EXPECT_EQ(shell.code(), 126);
  EXPECT_THAT(shell.err, HasSubstr("not started: the command needs approval (bash runs commands "
                                   "from its input, which the guard cannot check)"));
}

TEST_F(ApprovalsTest, WhatWasTypedAheadIsNoAnswer) {
  write_config("approvals: {timeout: 1}\n");
  Program terminal(on_terminal(world_, "echo ready; read -r line; sleep 0.5; " + World::talaria() +
                                           " exec '" + rm() + "'; echo code=$?"));
  ASSERT_TRUE(terminal.read_until_contains("ready"));
  terminal.write("go\no\no\n");  // the last two before anybody asked
  ASSERT_TRUE(terminal.wait());
  EXPECT_THAT(terminal.out(), HasSubstr("code=126"));
  EXPECT_TRUE(is_there());
}

TEST_F(ApprovalsTest, SilenceAtTheTerminalIsNoAndLeavesItAsItWas) {
  write_config("approvals: {timeout: 1}\n");
  Program terminal(on_terminal(world_, "stty -echo; stty -a >before; " + World::talaria() +
                                           " exec '" + rm() + "'; echo code=$?; stty -a >after"));
  ASSERT_TRUE(terminal.wait());
  EXPECT_THAT(terminal.out(), HasSubstr("code=126"));
  EXPECT_THAT(terminal.out(), HasSubstr("an answer is no longer needed\r\n"));
  EXPECT_THAT(terminal.out(), HasSubstr("Silence is not consent"));
  EXPECT_TRUE(is_there());
  EXPECT_EQ(world_.read("work/before"), world_.read("work/after"));
}

TEST_F(ApprovalsTest, CtrlCAtTheTerminalIsNo) {
  Program terminal(on_terminal(world_, World::talaria() + " exec '" + rm() + "'; echo code=$?"));
  ASSERT_TRUE(terminal.read_until_contains("Run it?")) << terminal.out();
  terminal.write("\x03");
  ASSERT_TRUE(terminal.wait());
  EXPECT_THAT(terminal.out(), HasSubstr("an answer is no longer needed\r\n"));
  EXPECT_TRUE(is_there());
  EXPECT_THAT(terminal.out(), Not(HasSubstr("code=0")));
}

// Each gets an answer of its own, and none that was meant for the other.
TEST_F(ApprovalsTest, TwoProgramsAtOneTerminalAskOneAfterTheOther) {
  world_.directory("work/a");
  world_.directory("work/b");
  const auto removes = [&](const std::string& name) {
    return World::talaria() + " exec 'rm -rf " + world_.path("work/" + name) + "'";
  };
  Program program(on_terminal(world_, removes("a") + " & " + removes("b") + "; wait"));
  ASSERT_TRUE(program.read_until_contains("Run it?")) << program.out();
  const auto both_ask = [&] { return count_of(program.out(), "Run it?") == 2; };
  EXPECT_FALSE(program.read_until(both_ask, std::chrono::milliseconds(500))) << program.out();
  program.write("once\r");
  ASSERT_TRUE(program.read_until(both_ask)) << program.out();
  program.write("no\r");
  ASSERT_TRUE(program.wait());
  EXPECT_NE(fs::exists(world_.path("work/a")), fs::exists(world_.path("work/b")));
}

// A person was asked, and the command was refused after the approval.
TEST_F(ApprovalsTest, NobodyIsAskedAboutWhatIsNeverAllowed) {
  write_config("approvals: {queue: true, wait: false}\n");
  world_.set("HOME", world_.directory("person"));
  EXPECT_THAT(world_.run({"call", "terminal", R"({"command":"rm -rf *","workdir":"~"})"}).out,
              HasSubstr("BLOCKED (hardline)"));
  ASSERT_EQ(world_.run({"exec", "--task", "t", "cd ~"}).code(), 0);
  EXPECT_THAT(world_.run({"exec", "--task", "t", "rm -rf *"}).err, HasSubstr("BLOCKED (hardline)"));
  EXPECT_EQ(pending().size(), 0u);
}

// What it is about stood in its input, its variables or its name.
TEST_F(ApprovalsTest, AQuestionShowsAllThatWouldRun) {
  write_config("approvals: {queue: true, wait: false}\n");
  world_.run({"exec", "--stdin", "bash"}, rm() + "\n");
  const std::string shown = world_.run({"approvals"}).out;
  EXPECT_THAT(shown, HasSubstr("  standard input:\n  | " + rm()));
  EXPECT_THAT(shown, HasSubstr("  in " + world_.path("work") + ", task"));
  EXPECT_EQ(world_.run({"deny", "--all"}).code(), 0);
  world_.run({"exec", "--task", "safe, target docker\n  | ls", rm()});
  EXPECT_THAT(world_.run({"approvals"}).out,
              HasSubstr("task 'safe, target docker   | ls', target local"));
}

TEST_F(ApprovalsTest, ALogThatIsAPipeIsToldOf) {
  ASSERT_EQ(world_.exec("true").code(), 0);
  const std::string log = world_.path("home/talaria/audit/audit.jsonl");
  fs::remove(log);
  ASSERT_EQ(::mkfifo(log.c_str(), 0600), 0);
  const Finished read = world_.run({"audit"});
  EXPECT_NE(read.code(), 0);
  EXPECT_THAT(read.err, HasSubstr("audit.jsonl is not a file"));
}

// "no such entries" and "No process is running" were the answers.
TEST_F(ApprovalsTest, WhatCannotBeReadIsNotReportedAsEmpty) {
  EXPECT_EQ(world_.run({"audit"}).out, "The audit log is empty.\n");
  const std::string files = world_.directory("home") + "/talaria";
  fs::create_symlink(files, files);  // nobody can follow it, not even root
  for (const char* command : {"audit", "ps"}) {
    const Finished read = world_.run({command});
    EXPECT_EQ(read.code(), 1) << command;
    EXPECT_EQ(read.out, "") << command;
    EXPECT_THAT(read.err, testing::StartsWith("talaria: cannot read " + files)) << command;
  }
}

TEST_F(ApprovalsTest, AnotherProgramListsAndApproves) {
  use_queue();
  const auto asking = world_.start({"exec", rm()});
  const std::string id = question();
  EXPECT_THAT(world_.run({"approvals"}).out, HasSubstr("  | " + rm()));
  EXPECT_TRUE(is_there());
  const Finished approved = world_.run({"approve", id});
  EXPECT_EQ(approved.code(), 0) << approved.err;
  const auto ended = asking->wait();
  ASSERT_TRUE(ended);
  EXPECT_EQ(exit_code_of(*ended), 0);
  EXPECT_FALSE(is_there());
  EXPECT_EQ(world_.run({"approve", id}).code(), 1) << "it was answered";
  EXPECT_THAT(audit(), HasSubstr(id));
}

TEST_F(ApprovalsTest, WhatWasAnsweredIsFoundByItsBeginning) {
  write_config("approvals: {queue: true, wait: false}\n");
  const Finished waits = world_.exec(rm());
  EXPECT_EQ(waits.code(), 126);
  const std::string id = question();
  EXPECT_EQ(waits.err,
            "talaria: not started: the command needs approval (recursive delete). "
            "Approve it with 'talaria approve " +
                id + "', then run it again.\n");
  EXPECT_THAT(world_.run({"audit"}).out, HasSubstr("waits for approval"));
  ASSERT_EQ(world_.run({"deny", id.substr(0, 12)}).code(), 0);
  for (const std::string& beginning : {id, id.substr(0, 12), id.substr(5, 7)}) {
    const Finished again = world_.run({"approve", beginning});
    EXPECT_EQ(again.code(), 1);
    EXPECT_THAT(again.err, HasSubstr(id + " was already denied (by process ")) << beginning;
  }
  EXPECT_THAT(world_.run({"deny", "appr_x"}).err,
              HasSubstr("unknown approval request 'appr_x'. `talaria approvals --all` lists the"));
}

TEST_F(ApprovalsTest, AnotherProgramDenies) {
  use_queue();
  const auto asking = world_.start({"exec", rm()});
  EXPECT_EQ(world_.run({"deny", question()}).code(), 0);
  const auto ended = asking->wait();
  ASSERT_TRUE(ended);
  EXPECT_EQ(exit_code_of(*ended), 126);
  EXPECT_THAT(asking->err(), HasSubstr("denied by user"));
  EXPECT_TRUE(is_there());
}

TEST_F(ApprovalsTest, OfTwoWhoAnswerAtOnceExactlyOneWins) {
  use_queue();
  for (int round = 0; round < 3; ++round) {
    const auto asking = world_.start({"exec", rm()});
    const std::string id = question();
    const auto yes = world_.start({"approve", id});
    const auto no = world_.start({"deny", id});
    const int approved = exit_code_of(yes->wait().value());
    const int denied = exit_code_of(no->wait().value());
    EXPECT_EQ(approved + denied, 1) << yes->err() << no->err();
    EXPECT_EQ(exit_code_of(asking->wait().value()), approved == 0 ? 0 : 126);
    EXPECT_EQ(is_there(), approved != 0);
    world_.directory("work/precious");
  }
}

TEST_F(ApprovalsTest, TheAnswerToAProgramThatWasKilledIsForTheNextCall) {
  use_queue();
  const auto asking = world_.start({"exec", rm()});
  const std::string id = question();
  EXPECT_THAT(world_.run({"approvals"}).out, HasSubstr(" waits for the answer"));
  asking->kill(SIGKILL);
  ASSERT_TRUE(asking->wait());
  EXPECT_TRUE(eventually([&] { return pending().at(0).at("asker_gone").as_bool(); }));
  EXPECT_THAT(world_.run({"approvals"}).out, HasSubstr(" has ended; your answer applies once"));
  EXPECT_EQ(world_.run({"approve", id}).code(), 0);
  EXPECT_TRUE(is_there());
  EXPECT_EQ(world_.exec(rm()).code(), 0);
  EXPECT_FALSE(is_there());
  EXPECT_EQ(pending(true).at(0).at("state"), "used");
}

TEST_F(ApprovalsTest, AQuestionExpiresWithItsTime) {
  use_queue(1);
  const Finished refused = world_.exec(rm());
  EXPECT_EQ(refused.code(), 126);
  EXPECT_THAT(refused.err, HasSubstr("Silence is not consent."));
  EXPECT_EQ(pending(true).at(0).at("state"), "expired");
}

TEST_F(ApprovalsTest, AlwaysCountsForTheNextProgram) {
  use_queue();
  const auto asking = world_.start({"exec", rm()});
  EXPECT_EQ(world_.run({"approve", "--always", question()}).code(), 0);
  EXPECT_EQ(exit_code_of(asking->wait().value()), 0);
  world_.directory("work/precious");
  write_config("");
  EXPECT_EQ(world_.exec(rm()).code(), 0) << "though nobody can be asked now";
  EXPECT_EQ(world_.read("home/config.yaml"), "") << "that file is not ours to write";
}

TEST_F(ApprovalsTest, PendingWhenNobodyWaits) {
  write_config("approvals: {queue: true, wait: false}\n");
  const std::string arguments = R"({"command":")" + rm() + R"("})";
  const json::object result =
      json::parse(world_.run({"call", "terminal", arguments}).out).as_object();
  EXPECT_EQ(result.at("status"), "pending_approval");
  EXPECT_EQ(result.at("approval_pending"), true);
  EXPECT_EQ(result.at("error"), "");
  EXPECT_EQ(result.at("exit_code"), -1);
  EXPECT_EQ(result.at("command").as_string(), rm());
  EXPECT_EQ(result.at("pattern_key"), "recursive delete");
  EXPECT_EQ(world_.run({"approve", question()}).code(), 0);
  const json::object again =
      json::parse(world_.run({"call", "terminal", arguments}).out).as_object();
  EXPECT_EQ(again.at("exit_code"), 0);
  EXPECT_THAT(std::string(again.at("approval").as_string()), HasSubstr("approved by the user"));
  EXPECT_FALSE(is_there());
}

TEST_F(ApprovalsTest, ExecSaysHowAPersonApproves) {
  write_config("approvals: {queue: true, wait: false}\n");
  const Finished pending = world_.exec(rm());
  EXPECT_EQ(pending.code(), 126);
  EXPECT_THAT(pending.err, HasSubstr("talaria approve " + question()));
}

TEST_F(ApprovalsTest, AJsonLinesClientHearsOfQuestionsAndAnswersThem) {
  LinesClient client(world_);
  EXPECT_TRUE(client.ask("approvals.subscribe", {{"session_key", "chat"}}).empty());
  const int call = client.send("terminal", {{"command", rm()}}, "t", "chat");
  const json::object event = client.event();
  EXPECT_EQ(event.at("type"), "approval_requested");
  EXPECT_EQ(event.at("command").as_string(), rm());
  EXPECT_EQ(client.ask("approvals.list").at("approvals").as_array().size(), 1u);
  EXPECT_EQ(client.ask("approvals.answer", {{"id", event.at("id")}, {"answer", "yes"}}).at("kind"),
            "bad_request");
  client.ask("approvals.answer", {{"id", event.at("id")}, {"answer", "session"}});
  EXPECT_EQ(code_of(client.result(call)), 0);
  EXPECT_FALSE(is_there());
  EXPECT_EQ(client.event().at("type"), "approval_answered");

  world_.directory("work/precious");
  client.ask("approvals.clear", {{"session_key", "chat"}});
  const int second = client.send("terminal", {{"command", rm()}}, "t", "chat");
  EXPECT_EQ(client.event().at("type"), "approval_requested");
  EXPECT_EQ(
      client.ask("approvals.answer", {{"session_key", "chat"}, {"answer", "deny"}}).at("answered"),
      1);
  EXPECT_EQ(client.result(second).at("status"), "blocked");
  EXPECT_EQ(
      client.result(client.send("terminal", {{"command", rm()}}, "t", "another")).at("status"),
      "blocked")
      << "nobody is there for that session";
  EXPECT_TRUE(is_there());
  EXPECT_EQ(client.end(), 0);
}

TEST_F(ApprovalsTest, TheLogSaysWhatRanAndWhatDidNotWithoutSecrets) {
  world_.exec("exit 3");
  world_.exec("echo hello; : --token ghp_abcdefghijklmnopqrstuvwxyz0123456789AB");
  world_.exec(rm());
  world_.run({"exec", "--task", "mine", "true"});
  const std::string log = audit();
  EXPECT_THAT(log, HasSubstr(R"("command":"exit 3")"));
  EXPECT_THAT(log, HasSubstr(R"("exit":3)"));
  EXPECT_THAT(log, HasSubstr(R"("bytes":6)"));
  EXPECT_THAT(log, Not(HasSubstr("ghp_abcdefghijklmnopqrstuvwxyz0123456789AB")));
  EXPECT_THAT(log, HasSubstr(R"("kind":"decision")"));
  EXPECT_THAT(log, HasSubstr(R"("reason":"headless")"));
  EXPECT_THAT(log, HasSubstr(R"("session_key":"default")"));
  EXPECT_THAT(log, Not(HasSubstr(R"("session_key":"")")));
  EXPECT_THAT(world_.run({"audit", "--task", "mine"}).out, HasSubstr("exit 0"));
  EXPECT_THAT(world_.run({"audit", "--since", "2999-01"}).out, HasSubstr("no such entries"));
  EXPECT_THAT(world_.run({"audit", "--decisions"}).out, HasSubstr("refused (headless)"));
  EXPECT_EQ(world_.run({"audit", "--since", "soon"}).code(), 2);
  const auto mode = fs::status(world_.path("home/talaria/audit/audit.jsonl")).permissions();
  EXPECT_EQ(mode, fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ApprovalsTest, ALogThatCannotBeWrittenCostsNoCommand) {
  world_.directory("home/talaria");
  fs::permissions(world_.path("home/talaria"), fs::perms::owner_all);
  std::ofstream(world_.path("home/talaria/audit")) << "in its place";
  const Finished ran = world_.exec("echo hello");
  EXPECT_EQ(ran.code(), 0);
  EXPECT_EQ(ran.out, "hello\n");
  EXPECT_THAT(ran.err, HasSubstr("The audit log could not be written"));
}

}  // namespace
}  // namespace talaria::test
