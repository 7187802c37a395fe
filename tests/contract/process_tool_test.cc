// Processes in the background, through the built program.
#include "support/process_tool_test.h"

#include <fstream>
#include <regex>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

namespace talaria::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::Not;

TEST_F(ProcessToolTest, EveryIdIsNewAndOfItsForm) {
  LinesClient agent(world_);
  std::set<std::string> ids;
  for (int i = 0; i < 20; ++i) {
    const std::string id = agent.start_process("true");
    EXPECT_TRUE(std::regex_match(id, std::regex("proc_[0-9a-f]{12}"))) << id;
    EXPECT_TRUE(ids.insert(id).second) << id;
  }
}

TEST_F(ProcessToolTest, AStartTellsWhatTheSpecificationNames) {
  LinesClient agent(world_);
  const json::object started = agent.start("sleep 100");
  EXPECT_EQ(text(started, "output"), "Background process started");
  EXPECT_EQ(code_of(started), 0);
  EXPECT_TRUE(started.at("error").is_null());
  EXPECT_GT(started.at("pid").as_int64(), 1);
  EXPECT_EQ(text(started, "target"), "local");
  EXPECT_EQ(text(started, "transport"), "link");
  EXPECT_TRUE(started.contains("duration_ms"));
  EXPECT_THAT(text(started, "hint"),
              testing::StartsWith("background=true without notify_on_complete=true means this "
                                  "process runs SILENTLY"));
  EXPECT_FALSE(started.contains("notify_on_complete"));
  kill(agent, text(started, "session_id"));
}

TEST_F(ProcessToolTest, OutputIsThereAsSoonAsItIsPrinted) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("echo hi; sleep 50");
  EXPECT_TRUE(shows(agent, id, "hi"));
  const json::object now = poll(agent, id);
  EXPECT_EQ(text(now, "status"), "running");
  EXPECT_EQ(text(now, "command"), "echo hi; sleep 50");
  EXPECT_FALSE(now.contains("exit_code"));
  kill(agent, id);
}

TEST_F(ProcessToolTest, TheNewestTwoHundredThousandCharactersAreRetained) {
  LinesClient agent(world_);
  const std::string id = agent.start_process(
      "head -c 100000 /dev/zero | tr '\\0' a; head -c 199999 /dev/zero | tr '\\0' b; echo");
  EXPECT_EQ(text(wait(agent, id), "status"), "exited");
  const json::object log = agent.process({{"action", "log"}, {"session_id", id}});
  EXPECT_EQ(text(log, "output").size(), 199'999u);
  EXPECT_EQ(text(log, "output").find('a'), std::string::npos);
  EXPECT_EQ(log.at("total_lines").as_int64(), 1);
  EXPECT_EQ(text(log, "showing"), "1 lines");
}

TEST_F(ProcessToolTest, ReadGivesWhatIsBehindTheOutputThatIsNoLongerKept) {
  world_.set("TERMINAL_SPILL_QUOTA_MB", "1");
  LinesClient agent(world_);
  const std::string id = agent.start_process("seq 1 1000000; echo end");
  ASSERT_EQ(code_of(wait(agent, id)), 0);
  const std::int64_t total = 6'888'896 + 4;
  std::int64_t from = 0;
  std::string all;
  for (int i = 0; i < 100; ++i) {
    const json::object read = agent.process(
        {{"action", "read"}, {"session_id", id}, {"from", from}, {"raw", true}, {"max", 300'000}});
    ASSERT_TRUE(read.contains("data"));
    EXPECT_EQ(read.contains("lost"), i == 0);
    if (i == 0) EXPECT_EQ(read.at("lost").as_int64(), read.at("from").as_int64());
    EXPECT_EQ(read.at("total").as_int64(), total);
    const std::string data = text(read, "data");
    EXPECT_FALSE(data.empty());
    EXPECT_EQ(read.at("next").as_int64() - read.at("from").as_int64(),
              static_cast<std::int64_t>(data.size()));
    all += data;
    from = read.at("next").as_int64();
    if (read.at("eof").as_bool()) break;
  }
  EXPECT_EQ(from, total);
  EXPECT_GE(all.size(), 1u << 20);
  EXPECT_TRUE(all.ends_with("\n999999\n1000000\nend\n"));
}

// The beginning and the end are kept, not the middle.
TEST_F(ProcessToolTest, ReadStopsInFrontOfAGap) {
  world_.set("TERMINAL_SPILL_QUOTA_MB", "1");
  LinesClient agent(world_);
  const json::object handed = agent.call(
      "terminal",
      {{"command", "seq 1 1000000; sleep 100"}, {"timeout", 2}, {"on_timeout", "background"}});
  const std::string id = text(handed, "session_id");
  ASSERT_TRUE(shows(agent, id, "1000000"));
  const auto read = [&](std::int64_t from) {
    return agent.process(
        {{"action", "read"}, {"session_id", id}, {"from", from}, {"max", 1'000'000}});
  };
  const json::object first = read(0);
  EXPECT_TRUE(text(first, "data").starts_with("1\n2\n"));
  EXPECT_FALSE(first.contains("lost"));
  EXPECT_EQ(first.at("next").as_int64(), static_cast<std::int64_t>(text(first, "data").size()));
  json::object next = read(first.at("next").as_int64());
  if (!next.contains("lost")) next = read(next.at("next").as_int64());  // half a line was left
  ASSERT_TRUE(next.contains("lost"));
  EXPECT_TRUE(text(next, "data").ends_with("\n1000000\n"));
  EXPECT_EQ(next.at("next").as_int64(), next.at("total").as_int64());
  kill(agent, id);
}

TEST_F(ProcessToolTest, AScreenIsShownFromWhatIsStillKept) {
  world_.set("TERMINAL_SPILL_QUOTA_MB", "1");
  LinesClient agent(world_);
  const std::string id = agent.start_process("seq 1 1000000; echo end; sleep 100", {{"pty", true}});
  ASSERT_TRUE(shows(agent, id, "end"));
  const json::object screen = agent.process({{"action", "screen"}, {"session_id", id}});
  EXPECT_THAT(text(screen, "screen"), testing::EndsWith("\n999999\n1000000\nend\n"));
  kill(agent, id);
}

TEST_F(ProcessToolTest, AnExitIsReportedWithItsCode) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("echo bye; exit 3");
  const json::object ended = wait(agent, id);
  EXPECT_EQ(text(ended, "status"), "exited");
  EXPECT_EQ(code_of(ended), 3);
  EXPECT_EQ(text(ended, "completion_reason"), "exited");
  EXPECT_EQ(text(ended, "termination_source"), "");
  EXPECT_EQ(text(ended, "output"), "bye\n");
  const json::object polled = poll(agent, id);
  EXPECT_EQ(code_of(polled), 3);
  EXPECT_EQ(text(polled, "completion_reason"), "exited");
}

TEST_F(ProcessToolTest, DeathBySignalIsMinusItsNumber) {
  LinesClient agent(world_);
  EXPECT_EQ(code_of(wait(agent, agent.start_process("kill -9 $$"))), -9);
  EXPECT_EQ(code_of(wait(agent, agent.start_process("kill -9 $$", {{"pty", true}}))), -9);
  const json::object by_term = wait(agent, agent.start_process("kill -TERM $$"));
  EXPECT_EQ(code_of(by_term), -15);
  EXPECT_EQ(text(by_term, "completion_reason"), "exited");
}

TEST_F(ProcessToolTest, AChildThatHoldsTheOutputDoesNotHoldTheExit) {
  LinesClient agent(world_);
  const auto start = steady_clock::now();
  const std::string id = agent.start_process("(sleep 30 &) ; exit 5");
  const json::object ended = wait(agent, id);
  EXPECT_EQ(code_of(ended), 5);
  EXPECT_EQ(text(poll(agent, id), "status"), "exited");
  EXPECT_LT(since(start), milliseconds(15'000));
  EXPECT_EQ(poll(agent, id).at("background_children").as_int64(), 1);
  EXPECT_EQ(text(kill(agent, id), "status"), "already_exited");
  EXPECT_FALSE(poll(agent, id).contains("background_children"));
}

TEST_F(ProcessToolTest, AWaitIsClampedAndSaysSo) {
  world_.set("TERMINAL_TIMEOUT", "1");
  LinesClient agent(world_);
  const std::string id = agent.start_process("echo so far; sleep 50");
  const auto start = steady_clock::now();
  const json::object waited = wait(agent, id, 1000);
  EXPECT_GE(since(start), milliseconds(900));
  EXPECT_LT(since(start), milliseconds(5000));
  EXPECT_EQ(text(waited, "status"), "timeout");
  EXPECT_EQ(text(waited, "output"), "so far\n");
  EXPECT_EQ(text(waited, "timeout_note"),
            "Requested wait of 1000s was clamped to configured limit of 1s");
  const json::object unsaid = agent.process({{"action", "wait"}, {"session_id", id}});
  EXPECT_EQ(text(unsaid, "timeout_note"), "Waited 1s, process still running");
  const json::object negative = wait(agent, id, -5);
  EXPECT_EQ(text(negative, "status"), "error");
  EXPECT_EQ(text(poll(agent, id), "status"), "running");
  kill(agent, id);
}

TEST_F(ProcessToolTest, AClampedWaitThatEndsInTimeStillSaysSo) {
  world_.set("TERMINAL_TIMEOUT", "20");
  LinesClient agent(world_);
  const json::object ended = wait(agent, agent.start_process("true"), 100);
  EXPECT_EQ(text(ended, "status"), "exited");
  EXPECT_EQ(text(ended, "timeout_note"),
            "Requested wait of 100s was clamped to configured limit of 20s");
}

TEST_F(ProcessToolTest, AWaitEndsWithTheProcess) {
  LinesClient agent(world_);
  const auto takes = [&] {
    const std::string id = agent.start_process("until [ -e ../go ]; do sleep 0.01; done");
    const int waiting = agent.send("process", {{"action", "wait"}, {"session_id", id}});
    agent.run("true");  // the wait holds nobody up
    const auto start = steady_clock::now();
    std::ofstream(world_.path("go")) << "go";
    EXPECT_EQ(text(agent.result(waiting), "status"), "exited");
    std::filesystem::remove(world_.path("go"));
    return since(start);
  };
  EXPECT_TRUE(once_within(milliseconds(300), takes));
}

TEST_F(ProcessToolTest, AnInterruptEndsOneWaitAndTouchesNoProcess) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("echo here; sleep 100");
  ASSERT_TRUE(shows(agent, id, "here"));
  const int one = agent.send("process", {{"action", "wait"}, {"session_id", id}});
  const int other = agent.send("process", {{"action", "wait"}, {"session_id", id}});
  const auto start = steady_clock::now();
  agent.cancel(one);
  const json::object interrupted = agent.result(one);
  EXPECT_LT(since(start), milliseconds(10'000));
  EXPECT_EQ(text(interrupted, "status"), "interrupted");
  EXPECT_EQ(text(interrupted, "note"), "User sent a new message -- wait interrupted");
  EXPECT_EQ(text(interrupted, "output"), "here\n");
  EXPECT_EQ(text(poll(agent, id), "status"), "running");
  kill(agent, id);
  EXPECT_EQ(text(agent.result(other), "status"), "exited");
}

TEST_F(ProcessToolTest, OddIdsAreTakenAsTextAndMissingOnesRefused) {
  LinesClient agent(world_);
  EXPECT_EQ(text(agent.process({{"action", "poll"}, {"session_id", 123}}), "error"),
            "No process with ID 123");
  const json::object missing = agent.process({{"action", "poll"}, {"session_id", nullptr}});
  EXPECT_EQ(json::serialize(missing), R"({"error":"session_id is required for poll"})");
  EXPECT_EQ(json::serialize(agent.process({{"action", "kill"}, {"session_id", ""}})),
            R"({"error":"session_id is required for kill"})");
  EXPECT_THAT(text(agent.process({{"action", "dance"}}), "error"),
              testing::StartsWith("Unknown process action: dance. Use: list, poll, log, wait, "
                                  "kill, write, submit, close"));
}

TEST_F(ProcessToolTest, AWorkdirThatIsGoneIsItsNearestParent) {
  LinesClient agent(world_);
  agent.run("mkdir -p a/b && cd a/b && rmdir ../b");
  const json::object started = agent.start("pwd; sleep 0.1");
  const json::object ended = wait(agent, text(started, "session_id"));
  EXPECT_THAT(text(ended, "output"), testing::EndsWith("/a\n"));
}

TEST_F(ProcessToolTest, SecretsOfTheAgentAreNotInherited) {
  world_.set("TELEGRAM_BOT_TOKEN", "tg");
  world_.set("FIRECRAWL_API_KEY", "fc");
  world_.set("SUDO_PASSWORD", "pw");
  world_.set("PLAIN", "yes");
  LinesClient agent(world_);
  const json::object ended =
      wait(agent,
           agent.start_process("echo [$TELEGRAM_BOT_TOKEN$FIRECRAWL_API_KEY$SUDO_PASSWORD] $PLAIN "
                               "$PYTHONUNBUFFERED"));
  EXPECT_EQ(text(ended, "output"), "[] yes 1\n");
}

TEST_F(ProcessToolTest, ComplaintsOfAShellWithoutJobControlAreLeftOut) {
  LinesClient agent(world_);
  const json::object ended = wait(agent, agent.start_process("bash -ic 'echo hi'"));
  EXPECT_EQ(text(ended, "output"), "hi\n");
}

TEST_F(ProcessToolTest, ItRunsInItsWorkdirAndWithTheStateOfItsSession) {
  LinesClient agent(world_);
  agent.run("export GREETING=hello; mkdir -p there elsewhere");
  const std::string id = agent.start_process("echo $GREETING; pwd; sleep 0.2; cd /; export A=1",
                                             {{"workdir", "there"}});
  agent.run("cd elsewhere");
  EXPECT_TRUE(eventually([&] { return text(poll(agent, id), "status") == "exited"; }));
  EXPECT_THAT(text(poll(agent, id), "output_preview"), HasSubstr("hello\n"));
  EXPECT_THAT(text(poll(agent, id), "output_preview"), HasSubstr("/there\n"));
  EXPECT_THAT(output_of(agent.run("pwd")), testing::EndsWith("/elsewhere"));
}

TEST_F(ProcessToolTest, ListHasRunningOnesFirstAndIsTheSameForEveryTaskOfTheEnvironment) {
  LinesClient agent(world_);
  const std::string ended = agent.start_process("printf '\\033[31mred\\033[0m'; exit 4");
  wait(agent, ended);
  const std::string running = agent.start_process("sleep 100");
  const json::object list =
      agent.result(agent.send("process", {{"action", "list"}}, "another-task"));
  const json::array& all = list.at("processes").as_array();
  ASSERT_EQ(all.size(), 2u);
  const json::object& first = all[0].as_object();
  const json::object& second = all[1].as_object();
  EXPECT_EQ(text(first, "session_id"), running);
  EXPECT_EQ(text(first, "status"), "running");
  EXPECT_FALSE(first.contains("exit_code"));
  EXPECT_TRUE(std::regex_match(text(first, "started_at"),
                               std::regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d")));
  EXPECT_THAT(text(first, "cwd"), testing::EndsWith("/work"));
  EXPECT_EQ(text(second, "session_id"), ended);
  EXPECT_EQ(text(second, "output_preview"), "red");
  EXPECT_EQ(code_of(second), 4);
  kill(agent, running);
}

TEST_F(ProcessToolTest, LogPagesByLines) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("printf 'a\\nb\\nc\\n'");
  wait(agent, id);
  const auto page = [&](int offset, int limit) {
    const json::object log = agent.process(
        {{"action", "log"}, {"session_id", id}, {"offset", offset}, {"limit", limit}});
    EXPECT_EQ(log.at("total_lines").as_int64(), 3);
    return text(log, "output");
  };
  EXPECT_EQ(page(0, 2), "b\nc");
  EXPECT_EQ(page(1, 1), "b");
  EXPECT_EQ(page(5, 2), "");
  EXPECT_EQ(page(1, 200), "b\nc");
}

TEST_F(ProcessToolTest, SecretsInOutputAreMasked) {
  LinesClient agent(world_);
  const std::string id =
      agent.start_process("a=abcdefghijkl; echo OPENAI_API_KEY=sk-${a}mnopqrstuvwx");
  EXPECT_THAT(text(wait(agent, id), "output"), Not(HasSubstr("abcdefghijklmnopqrstuvwx")));
  for (const char* action : {"poll", "log", "read"}) {
    EXPECT_THAT(json::serialize(agent.process({{"action", action}, {"session_id", id}})),
                Not(HasSubstr("abcdefghijklmnopqrstuvwx")))
        << action;
  }
  EXPECT_THAT(json::serialize(agent.process({{"action", "list"}})),
              Not(HasSubstr("abcdefghijklmnopqrstuvwx")));
}

TEST_F(ProcessToolTest, ReadGivesEveryByteOnceByCursor) {
  LinesClient agent(world_);
  const std::string id =
      agent.start_process("for i in {1..2000}; do echo line $i; done; printf '\\377\\n'");
  wait(agent, id);
  std::string all;
  std::int64_t from = 0;
  for (;;) {
    const json::object read =
        agent.process({{"action", "read"}, {"session_id", id}, {"from", from}, {"max", 1000}});
    EXPECT_EQ(read.at("from").as_int64(), from);
    all += text(read, "data");
    from = read.at("next").as_int64();
    if (read.at("eof").as_bool()) break;
  }
  std::string expected;
  for (int i = 1; i <= 2000; ++i) expected += "line " + std::to_string(i) + "\n";
  EXPECT_EQ(all, expected + "\uFFFD\n");
  const json::object raw =
      agent.process({{"action", "read"}, {"session_id", id}, {"from", from - 2}, {"raw", true}});
  EXPECT_EQ(text(raw, "encoding"), "base64");
  EXPECT_EQ(text(raw, "data"), "/wo=");
  const json::object shown =
      agent.process({{"action", "read"}, {"session_id", id}, {"from", from - 2}, {"raw", "false"}});
  EXPECT_EQ(text(shown, "data"), "\uFFFD\n") << "the text false is false";
}

TEST_F(ProcessToolTest, ReadMasksASecretHoweverItIsCutIntoPieces) {
  LinesClient agent(world_);
  const std::string id =
      agent.start_process("printf 'begin %s%s end' sk-abcdefghijklm nopqrstuvwxyz0123456789");
  wait(agent, id);
  for (const int max : {1, 7, 20, 1000}) {
    std::string all;
    std::int64_t from = 0;
    for (bool more = true; more;) {
      const json::object read =
          agent.process({{"action", "read"}, {"session_id", id}, {"from", from}, {"max", max}});
      all += text(read, "data");
      from = read.at("next").as_int64();
      more = !read.at("eof").as_bool();
    }
    EXPECT_EQ(all, "begin sk-abc...6789 end") << max;
  }
  EXPECT_EQ(text(agent.process({{"action", "read"}, {"session_id", id}, {"from", 20}}), "data"),
            " end");
}

TEST_F(ProcessToolTest, ReadSinceAMarkGivesWhatIsNew) {
  LinesClient agent(world_);
  const std::string id =
      agent.start_process("echo one; until [ -e ../go ]; do sleep 0.01; done; echo two");
  ASSERT_TRUE(shows(agent, id, "one"));
  const auto news = [&](LinesClient& reader) {
    return text(reader.process({{"action", "read"}, {"session_id", id}, {"since", "me"}}), "data");
  };
  EXPECT_EQ(news(agent), "one\n");
  EXPECT_EQ(news(agent), "");
  std::ofstream(world_.path("go")) << "go";
  wait(agent, id);
  LinesClient later(world_);
  EXPECT_EQ(news(later), "two\n");
}

}  // namespace
}  // namespace talaria::test
