// `talaria mcp` from outside: what a client may rely on, whatever else it is sent.
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/stdio/mcp_client.h"
#include "support/talaria_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class McpStdioTest : public TalariaTest {};

TEST_F(McpStdioTest, BothErasAreServedOnOneConnection) {
  McpClient client(world_);
  EXPECT_EQ(client.initialize().at("protocolVersion").as_string(), "2025-11-25");
  const json::object discovered = client.ask("server/discover", {{"_meta", McpClient::modern()}});
  EXPECT_EQ(discovered.at("supportedVersions").at(0).as_string(), "2026-07-28");
  EXPECT_EQ(client.run("echo old"), "old");
  const json::object result =
      client.result(client.send_call("terminal", {{"command", "echo new"}}, McpClient::modern()));
  EXPECT_EQ(result.at("resultType").as_string(), "complete");
  EXPECT_EQ(output_of(result.at("structuredContent").as_object()), "new");
  EXPECT_EQ(client.end(), 0);
}

// A client starts one just to see what it speaks, and throws it away.
TEST_F(McpStdioTest, StartingItLeavesNoTrace) {
  {
    McpClient client(world_);
    client.initialize();
    client.ask("tools/list");
    client.ask("resources/templates/list");
    client.ask("server/discover", {{"_meta", McpClient::modern()}});
    EXPECT_EQ(client.end(), 0);
    EXPECT_EQ(client.program().err(), "");
  }
  EXPECT_FALSE(fs::exists(world_.path("home/talaria"))) << "a list made a store or a runner";
}

TEST_F(McpStdioTest, TwoCopiesAtOnceAreApartUnlessATaskIsNamed) {
  McpClient one(world_);
  McpClient other(world_);
  one.run("export WHOSE=one; cd /");
  EXPECT_EQ(other.run("echo ${WHOSE-none}"), "none");
  EXPECT_EQ(one.run("echo $WHOSE $PWD"), "one /");
  one.call("terminal", {{"command", "export WHOSE=shared"}, {"task", "ours"}});
  EXPECT_EQ(output_of(other.call("terminal", {{"command", "echo $WHOSE"}, {"task", "ours"}})),
            "shared");
}

TEST_F(McpStdioTest, FiveHundredCallsAtOnceEachGetTheirOwnResult) {
  McpClient client(world_);
  client.initialize();
  std::vector<int> ids;
  for (int i = 0; i < 500; ++i) {
    ids.push_back(client.send_call(
        "terminal", {{"command", "echo $((" + std::to_string(i) + " * 3))"}, {"yield_ms", 0}}));
  }
  for (int i = 0; i < 500; ++i) {
    const json::object result = client.structured(ids[static_cast<std::size_t>(i)]);
    EXPECT_EQ(output_of(result), std::to_string(i * 3));
  }
}

TEST_F(McpStdioTest, WhatIsNoMessageGetsTheRightErrorAndTheNextOneCounts) {
  McpClient client(world_);
  const struct {
    std::string line;
    int code;
  } cases[] = {
      {"no JSON at all", -32700},
      {std::string(200'000, '['), -32700},
      {"[]", -32600},
      {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", -32600},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","method":7})", -32600},
  };
  for (const auto& c : cases) {
    client.send_raw(c.line);
    EXPECT_EQ(error_code(client.unasked()), c.code) << c.line.substr(0, 60);
  }
  client.send_raw(R"({"jsonrpc":"2.0","id":900,"method":"ping","method":"ping"})");
  EXPECT_EQ(error_code(client.answer(900)), -32600);
  client.send_raw(R"({"jsonrpc":"2.0","id":901,"method":"no/such/method"})");
  EXPECT_EQ(error_code(client.answer(901)), -32601);
  client.send_raw("");
  EXPECT_EQ(client.run("echo next"), "next");
}

TEST_F(McpStdioTest, AMessageThatIsTooLongIsRefusedAndNotKept) {
  McpClient client(world_);
  const std::string megabyte(1u << 20, 'x');
  Program& program = client.program();
  program.write(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":")");
  for (int i = 0; i < 65; ++i) program.write(megabyte);
  EXPECT_EQ(error_code(client.unasked()), -32600);
  program.write("\"}}\n");
  EXPECT_EQ(client.run("echo next"), "next");
}

TEST_F(McpStdioTest, ACommandThatTakesLongerGoesOnInTheBackground) {
  McpClient client(world_);
  const json::object result = client.result(client.send_call(
      "terminal", {{"command", "echo begun; until [ -e ../go ]; do sleep 0.01; done; echo done"},
                   {"yield_ms", 200}}));
  const json::object yielded = result.at("structuredContent").as_object();
  EXPECT_EQ(yielded.at("status").as_string(), "running");
  EXPECT_THAT(output_of(yielded), HasSubstr("begun"));
  const std::string id(yielded.at("session_id").as_string());
  EXPECT_FALSE(result.contains("isError"));
  EXPECT_EQ(result.at("content").at(1).at("uri").as_string(), "exec://process/" + id + "/output");

  client.run("touch ../go");
  const json::object ended = client.call("process", {{"action", "wait"}, {"session_id", id}});
  EXPECT_EQ(ended.at("status").as_string(), "exited") << json::serialize(ended);
  EXPECT_THAT(json::serialize(ended), HasSubstr("done"));
}

TEST_F(McpStdioTest, ATimeoutThatIsNamedStillCountsInTheBackground) {
  McpClient client(world_);
  const json::object yielded =
      client.call("terminal", {{"command", "sleep 1000"}, {"yield_ms", 100}, {"timeout", 2}});
  const std::string id(yielded.at("session_id").as_string());
  const json::object ended =
      client.call("process", {{"action", "wait"}, {"session_id", id}, {"timeout", 20}});
  EXPECT_EQ(ended.at("termination_source").as_string(), "max_age") << json::serialize(ended);
}

TEST_F(McpStdioTest, AScriptThatTakesLongerIsKeptAndAskedForLater) {
  world_.set("HERMES_YOLO_MODE", "1");  // scripts are asked about
  McpClient client(world_);
  const std::string script = "import os, time\nwhile not os.path.exists('" + world_.path("go") +
                             "'):\n  time.sleep(0.01)\nprint('the script ended')\n";
  const json::object kept = client.call("execute_code", {{"code", script}, {"yield_ms", 200}});
  EXPECT_EQ(kept.at("status").as_string(), "running") << json::serialize(kept);
  const std::string id(kept.at("session_id").as_string());
  const auto look = [&](McpClient& who, std::string_view action) {
    return who.call("process", {{"action", action}, {"session_id", id}});
  };
  EXPECT_EQ(look(client, "poll").at("status").as_string(), "running");
  McpClient other(world_);
  EXPECT_EQ(look(other, "poll").at("status").as_string(), "running") << "its id is enough";
  client.run("touch " + world_.path("go"));
  EXPECT_THAT(output_of(look(client, "wait")), HasSubstr("the script ended"));
  EXPECT_THAT(output_of(look(other, "wait")), HasSubstr("the script ended"));

  const json::object endless =
      client.call("execute_code", {{"code", "import time\ntime.sleep(1000)"}, {"yield_ms", 200}});
  const json::object killed = client.call(
      "process", {{"action", "kill"}, {"session_id", endless.at("session_id").as_string()}});
  EXPECT_EQ(killed.at("status").as_string(), "interrupted") << json::serialize(killed);
}

TEST_F(McpStdioTest, ScriptsAndFilesAreJudged) {
  std::ofstream(world_.path("user/precious")) << "x";
  McpClient client(world_);
  const json::object script =
      client.call("execute_code", {{"code", "import os; os.system('rm -rf ~/*')"}});
  EXPECT_THAT(std::string(script.at("error").as_string()), HasSubstr("BLOCKED (hardline)"));
  EXPECT_TRUE(fs::exists(world_.path("user/precious")));
}

// Only that call: what another one started runs on.
TEST_F(McpStdioTest, CancellingACallEndsItsTreeAndNothingMoreIsSaidAboutIt) {
  McpClient client(world_);
  const std::string sleeper = "sleep 1000 & echo $! > ";
  const int cancelled = client.send_call(
      "terminal", {{"command", sleeper + world_.path("one") + "; wait"}, {"yield_ms", 0}},
      {{"progressToken", "p"}});
  const int other = client.send_call(
      "terminal", {{"command", sleeper + world_.path("two") + "; wait"}, {"yield_ms", 0}});
  const ProcessName one = process_in("one");
  const ProcessName two = process_in("two");
  client.cancel(cancelled);
  EXPECT_TRUE(eventually([&] { return !is_alive(one); }));
  EXPECT_TRUE(is_alive(two));
  // Whatever would be said about it would come between what is said about a third.
  const int third = client.send_call(
      "terminal", {{"command", "until [ -e ../go ]; do sleep 0.01; done"}, {"yield_ms", 0}},
      {{"progressToken", "q"}});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(client.unasked().at("params").at("progressToken").as_string(), "q");
  }
  client.run("touch ../go");
  client.result(third);
  EXPECT_FALSE(client.is_answered(cancelled));
  EXPECT_FALSE(client.is_answered(other));
  client.cancel(other);
  EXPECT_TRUE(eventually([&] { return !is_alive(two); }));
}

// The cancel comes at every moment of a start; a handle that was never told ends nothing.
TEST_F(McpStdioTest, ACallThatIsCancelledWhileItStartsAProcessLeavesNoneBehind) {
  McpClient client(world_);
  client.run("true");
  const auto running = [&] {
    const json::object listed = client.call("process", {{"action", "list"}});
    std::vector<std::string> ids;
    for (const json::value& one : listed.at("processes").as_array()) {
      if (one.at("status") == "running") ids.emplace_back(one.at("session_id").as_string());
    }
    return ids;
  };
  for (int i = 0; i < 60; ++i) {
    const int call = client.send_call(
        "terminal", {{"command", "sleep 1000"}, {"background", true}, {"task", "own"}});
    for (int told = 0; told < i % 20; ++told) client.ask("ping");
    client.cancel(call);
    client.ask("ping");
    if (!client.is_answered(call)) continue;
    const json::object started = client.structured(call);
    client.call("process", {{"action", "kill"}, {"session_id", started.at("session_id")}});
  }
  EXPECT_TRUE(eventually([&] { return running().empty(); })) << running().size();
  for (const std::string& id : running()) {
    client.call("process", {{"action", "kill"}, {"session_id", id}});
  }
}

TEST_F(McpStdioTest, ProgressIsToldWhileACallRuns) {
  McpClient client(world_);
  const int call = client.send_call(
      "terminal", {{"command", "until [ -e ../go ]; do sleep 0.01; done"}, {"yield_ms", 0}},
      {{"progressToken", "mine"}});
  double last = 0;
  for (int i = 0; i < 3; ++i) {
    const json::object told = client.unasked();
    EXPECT_EQ(told.at("method").as_string(), "notifications/progress");
    EXPECT_EQ(told.at("params").at("progressToken").as_string(), "mine");
    const double value = told.at("params").at("progress").to_number<double>();
    EXPECT_GT(value, last);
    last = value;
  }
  client.run("touch ../go");
  EXPECT_EQ(code_of(client.structured(call)), 0);
}

TEST_F(McpStdioTest, TraceContextReachesTheCommandOfItsCallOnly) {
  McpClient client(world_);
  const std::string show = "echo ${TRACEPARENT-none} ${BAGGAGE-none}";
  const int traced = client.send_call("terminal", {{"command", show}},
                                      {{"traceparent", "00-abc-def-01"}, {"baggage", "k=v"}});
  EXPECT_EQ(output_of(client.structured(traced)), "00-abc-def-01 k=v");
  EXPECT_EQ(client.run(show), "none none");
}

TEST_F(McpStdioTest, OutputOfAProcessCanBeReadAndWatched) {
  McpClient client(world_);
  const json::object started = client.call(
      "terminal", {{"command", "echo abcdef; until [ -e ../go ]; do sleep 0.01; done; echo more"},
                   {"background", true}});
  const std::string uri =
      "exec://process/" + std::string(started.at("session_id").as_string()) + "/output";
  const auto read = [&](const std::string& address) {
    const json::object contents = client.ask("resources/read", {{"uri", address}});
    return std::string(contents.at("contents").at(0).at("text").as_string());
  };
  EXPECT_TRUE(eventually([&] { return read(uri) == "abcdef\n"; }));
  EXPECT_EQ(read(uri + "?offset=2&limit=3"), "cde");

  client.ask("resources/subscribe", {{"uri", uri}});
  client.run("touch ../go");
  const json::object told = client.unasked();
  EXPECT_EQ(told.at("method").as_string(), "notifications/resources/updated");
  EXPECT_EQ(told.at("params").at("uri").as_string(), uri);
  EXPECT_TRUE(eventually([&] { return read(uri + "?offset=7") == "more\n"; }));

  const int missing = client.send("resources/read", {{"uri", "exec://process/proc_none/output"}});
  EXPECT_EQ(error_code(client.answer(missing)), -32002);
  const int modern = client.send("resources/read", {{"uri", "exec://process/proc_none/output"},
                                                    {"_meta", McpClient::modern()}});
  EXPECT_EQ(error_code(client.answer(modern)), -32602);
}

TEST_F(McpStdioTest, AnIdThatIsUsedAgainAfterACancelledReadGetsItsOwnAnswer) {
  McpClient client(world_);
  client.run("echo of the file > file");
  const std::string uri = "exec://file/" + client.run("pwd") + "/file";
  for (int id = 1000; id < 1050; ++id) {
    const auto line = [](json::object message) {
      message["jsonrpc"] = "2.0";
      return json::serialize(message) + "\n";
    };
    client.program().write(
        line({{"id", id}, {"method", "resources/read"}, {"params", {{"uri", uri}}}}) +
        line({{"method", "notifications/cancelled"}, {"params", {{"requestId", id}}}}) +
        line({{"id", id},
              {"method", "tools/call"},
              {"params", {{"name", "terminal"}, {"arguments", {{"command", "echo mine"}}}}}}));
    const json::object result = client.result(id);
    ASSERT_TRUE(result.contains("structuredContent")) << json::serialize(result);
    EXPECT_EQ(output_of(result.at("structuredContent").as_object()), "mine");
  }
}

// Those that have not begun when the file goes away find none.
TEST_F(McpStdioTest, ResourcesAreReadNoFasterThanTheirClientReads) {
  McpClient client(world_);
  client.run("head -c 1048576 /dev/zero | tr '\\0' x > big");
  const std::string directory = client.run("pwd");
  std::vector<int> reads;
  for (int i = 0; i < 100; ++i) {
    reads.push_back(client.send("resources/read",
                                {{"uri", "exec://file/" + directory + "/big?limit=1048576"}}));
  }
  EXPECT_EQ(error_code(client.answer(reads.front())), 0);
  McpClient other(world_);
  // A server that does not wait for its client has read all of it in that time.
  other.run("sleep 1; mv '" + directory + "/big' '" + directory + "/gone'");
  int found = 0;
  for (const int read : std::span(reads).subspan(1)) {
    if (error_code(client.answer(read)) == 0) ++found;
  }
  EXPECT_LT(found, 99);
}

// What runs in the background belongs to its runner, not to whoever started it, however that ended.
TEST_F(McpStdioTest, AProcessIsFoundAgainByTheNextServer) {
  for (const bool killed : {true, false}) {
    SCOPED_TRACE(killed);
    const std::string go = world_.path(killed ? "go" : "go too");
    std::string id;
    {
      McpClient client(world_);
      const json::object started = client.call(
          "terminal", {{"command", "until [ -e '" + go + "' ]; do sleep 0.01; done; echo found"},
                       {"background", true}});
      id = started.at("session_id").as_string();
      if (killed) client.program().kill(SIGKILL);
      if (!killed) EXPECT_EQ(client.end(), 0);
    }
    McpClient client(world_);
    const json::object found = client.call("process", {{"action", "poll"}, {"session_id", id}});
    EXPECT_EQ(found.at("status").as_string(), "running");
    EXPECT_THAT(json::serialize(client.call("process", {{"action", "list"}})), HasSubstr(id));
    client.run("touch '" + go + "'");
    const json::object ended = client.call("process", {{"action", "wait"}, {"session_id", id}});
    EXPECT_EQ(ended.at("exit_code").as_int64(), 0);
    EXPECT_THAT(json::serialize(ended), HasSubstr("found"));
  }
}

TEST_F(McpStdioTest, AHandleThatHasExpiredSaysSo) {
  world_.set("TERMINAL_MAX_FINISHED_PROCESSES", "1");
  McpClient client(world_);
  const auto ended = [&] {
    const json::object begun =
        client.result(client.send_call("terminal", {{"command", "true"}, {"background", true}}));
    const json::value id = begun.at("structuredContent").at("session_id");
    const json::object waited =
        client.result(client.send_call("process", {{"action", "wait"}, {"session_id", id}}));
    EXPECT_EQ(waited.at("structuredContent").at("status").as_string(), "exited");
    return id;
  };
  const json::value first = ended();
  ended();
  ended();  // a start is when those that are too many are forgotten
  const json::object result =
      client.result(client.send_call("process", {{"action", "poll"}, {"session_id", first}}));
  EXPECT_EQ(result.at("isError"), true);
  EXPECT_EQ(result.at("structuredContent").at("status").as_string(), "not_found");
  EXPECT_THAT(json::serialize(result), HasSubstr(std::string(first.as_string())));
  EXPECT_THAT(json::serialize(result), HasSubstr("ended and expired"));
}

TEST_F(McpStdioTest, AtTheEndOfInputItEndsAndItsCallsWithIt) {
  McpClient client(world_);
  client.send_call("terminal", {{"command", "echo $$ > " + world_.path("pid") + "; sleep 1000"},
                                {"yield_ms", 0}});
  const ProcessName command = process_in("pid");
  EXPECT_EQ(client.end(), 0);
  EXPECT_TRUE(eventually([&] { return !is_alive(command); }));
}

TEST_F(McpStdioTest, WhoListensIsToldOfTheEnd) {
  McpClient client(world_);
  const int listening = client.send(
      "subscriptions/listen", {{"notifications", json::object()}, {"_meta", McpClient::modern()}});
  client.unasked();
  client.program().kill(SIGTERM);
  EXPECT_TRUE(client.answer(listening).contains("result"));
}

TEST_F(McpStdioTest, EveryLineItWritesIsAMessage) {
  McpClient client(world_);
  client.initialize();
  client.run("echo noise >&2; echo noise > /dev/tty; true");
  client.program().close_stdin();
  ASSERT_TRUE(client.program().wait());
  std::string_view text = client.program().out();
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    ASSERT_NE(end, std::string_view::npos);
    EXPECT_EQ(json::parse(text.substr(0, end)).at("jsonrpc").as_string(), "2.0");
    text.remove_prefix(end + 1);
  }
}

}  // namespace
}  // namespace talaria::test
