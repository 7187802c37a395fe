// What scripts suffered from elsewhere: answers that were no single line, one client, one call at a
// time, an idle timeout, loop guards meant for models, places others could read.
#include <filesystem>
#include <fstream>

#include "scripts/script_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class ScriptTrapTest : public ScriptTest {
 protected:
  void put(const std::string& name, std::string_view content) {
    const std::string path = world_.path("work/" + name);
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << content;
  }
};

// Elsewhere an answer was the tool's text as it is, and its reader stopped at the first piece that
// ended with a newline.
TEST_F(ScriptTrapTest, AnAnswerIsOneLineWhateverIsInIt) {
  put("f", "a\n\nb\r\n\xE2\x80\xA8 c\n");
  const json::object result = run(R"py(
import json, os, socket
raw = socket.socket(socket.AF_UNIX)
raw.connect(os.environ["HERMES_RPC_SOCKET"])
raw.sendall(b'{"id": 1, "tool": "read_file", "args": {"path": "f"}}\n'
            b'{"id": 2, "tool": "terminal", "args": {"command": "printf \'x\\\\n\\\\ny\\\\n\'"}}\n')
lines = raw.makefile("rb")
answers = sorted((json.loads(lines.readline()) for _ in range(2)), key=lambda one: one["id"])
print(repr(answers[0]["result"]["content"]), repr(answers[1]["result"]["output"]))
from hermes_tools import terminal
big = terminal("for i in $(seq 1 3000); do echo; echo $i; done")["output"]
print(big.count("\n"), big[-4:])
)py");
  EXPECT_EQ(output(result),
            "'1|a\\n2|\\n3|b\\r\\n4|\\u2028 c' 'x\\n\\ny'\n"
            "5998 3000\n")
      << json::serialize(result);
}

TEST_F(ScriptTrapTest, ASearchThatShowsAPartIsADictToo) {
  std::string twenty;
  for (int i = 0; i < 20; ++i) twenty += "needle\n";
  put("f", twenty);
  const json::object result = run(R"py(
from hermes_tools import search_files
found = search_files("needle", limit=3)
print(type(found).__name__, len(found["matches"]), found["truncated"], "offset=3" in found["_hint"])
)py");
  EXPECT_EQ(output(result), "dict 3 True True\n") << json::serialize(result);
}

TEST_F(ScriptTrapTest, OnlyThreeParametersReachTheTerminal) {
  world_.set("TALARIA_APPROVALS_HEADLESS", "deny");
  world_.directory("work/precious");
  const json::object result = run(R"py(
import os
from hermes_tools import _call
more = {"background": True, "pty": True, "force": True, "notify_on_complete": True,
        "watch_patterns": ["x"], "check_interval": 3, "stdin": True, "lifetime": "keep"}
here = _call("terminal", {"command": "test -t 1 || pwd", "workdir": "precious", "timeout": 20, **more})
print(here["output"], here["exit_code"], "session_id" in here)
print(_call("terminal", {"command": "rm -rf " + os.getcwd() + "/precious", **more})["status"])
)py");
  EXPECT_EQ(output(result), world_.path("work/precious") + " 0 False\nblocked\n")
      << json::serialize(result);
  EXPECT_TRUE(fs::exists(world_.path("work/precious")));
}

// The guards against going round in circles are for models, and a script is none.
TEST_F(ScriptTrapTest, AScriptReadsAndSearchesAsOftenAsItLikes) {
  put("f", "needle\n");
  LinesClient client(world_);
  EXPECT_EQ(client.call("read_file", {{"path", "f"}}).at("content"), "1|needle");
  EXPECT_EQ(client.call("read_file", {{"path", "f"}}).at("status"), "unchanged");
  const json::object result = client.call("execute_code", {{"code", R"py(
from hermes_tools import read_file, search_files
print({read_file("f")["content"] for _ in range(6)})
print({search_files("needle")["matches"][0]["line"] for _ in range(6)})
)py"}});
  EXPECT_EQ(output(result), "{'1|needle'}\n{1}\n") << json::serialize(result);
  EXPECT_EQ(client.end(), 0);
}

// There is no directory of a target's choice: what a script needs is beside its runner, wherever
// that is and whatever it is called.
// As with python3-minimal: the script died with the words of the interpreter alone.
TEST_F(ScriptTrapTest, APythonWithoutItsLibraryIsNamed) {
  const json::object result =
      run("import sys\nsys.modules['json'] = None\nfrom hermes_tools import terminal\n"
          "terminal('true')");
  EXPECT_EQ(text(result, "status"), "error");
  EXPECT_THAT(json::serialize(result), testing::HasSubstr("hermes_tools needs the module json"));
}

TEST_F(ScriptTrapTest, AnOddlyNamedHomeIsNoTrouble) {
  world_.use_home("an odd 'home' $(touch oops)");
  const std::string places = world_.directory("tmp");
  world_.set("TMPDIR", places);
  const json::object result = run(R"py(
import os, sys
from hermes_tools import terminal
print("$(touch oops)/talaria/run/local/" in sys.argv[0], terminal("echo called")["output"].strip())
)py");
  EXPECT_EQ(output(result), "True called\n") << json::serialize(result);
  EXPECT_TRUE(fs::is_empty(places));
  EXPECT_FALSE(fs::exists(world_.path("work/oops")));
}

// Once nobody was waiting any more after five seconds.
TEST_F(ScriptTrapTest, TheFirstCallMayComeLate) {
  const json::object result = run(R"py(
import time
time.sleep(6)
from hermes_tools import terminal
print(terminal("echo late")["output"].strip())
)py");
  EXPECT_EQ(output(result), "late\n") << json::serialize(result);
}

// Elsewhere standard output of the whole program was gone while a script's call was served.
TEST_F(ScriptTrapTest, OthersAreHeardWhileACallIsServed) {
  LinesClient client(world_);
  const int script = client.send("execute_code", {{"code", R"py(
import threading, time
from hermes_tools import terminal
waiting = threading.Thread(target=terminal, args=("echo x >serving; until [ -e go ]; do sleep 0.05; done",))
waiting.start()
while waiting.is_alive():
    print("heard", flush=True)
    waiting.join(0.1)
)py"}});
  ASSERT_TRUE(appears("work/serving"));
  const json::object other =
      client.result(client.send("terminal", {{"command", "echo me, too"}}, "other"));
  EXPECT_EQ(text(other, "output"), "me, too");
  put("go", "x");
  EXPECT_THAT(output(client.result(script)), StartsWith("heard\n"));
  EXPECT_EQ(client.end(), 0);
}

TEST_F(ScriptTrapTest, F5AnIdMayBeAnything) {
  const json::object result = run(R"py(
import json, os, socket
raw = socket.socket(socket.AF_UNIX)
raw.connect(os.environ["HERMES_RPC_SOCKET"])
lines = raw.makefile()
for id in ("x", 1.5, [1], {"a": 2}, True, -1):
    raw.sendall(json.dumps({"id": id, "tool": "terminal", "args": {"command": "echo x"}}).encode() + b"\n")
    answer = json.loads(lines.readline())
    print(answer["id"] == id, answer["result"]["exit_code"], end=" ")
)py");
  EXPECT_EQ(output(result), "True 0 True 0 True 0 True 0 True 0 True 0 ")
      << json::serialize(result);
}

TEST_F(ScriptTrapTest, F12NobodyElseCanReadItOrCallForIt) {
  const json::object result = run(R"py(
import os, stat, sys
place = os.path.dirname(sys.argv[0])
for path in (place, sys.argv[0], os.path.dirname(os.environ["HERMES_RPC_SOCKET"])):
    print(oct(stat.S_IMODE(os.stat(path).st_mode) & 0o077), end=" ")
)py");
  EXPECT_EQ(output(result), "0o0 0o0 0o0 ") << json::serialize(result);
}

TEST_F(ScriptTrapTest, F14AnInterpreterThatIsTooOldIsNone) {
  put("old", "#!/bin/sh\nexit 1\n");  // what it would say to a question for its version
  fs::permissions(world_.path("work/old"), fs::perms::owner_all);
  configure("code_execution: {python: " + world_.path("work/old") + "}\n");
  EXPECT_THAT(text(run("print(1)"), "error"), StartsWith("Python 3 is not available in the local"));
}

TEST_F(ScriptTrapTest, F15ATimeZoneIsOneWord) {
  world_.set("HERMES_TIMEZONE", "UTC'; touch oops; '$(touch oops)");
  const json::object result = run("import os\nprint(os.environ['TZ'])");
  EXPECT_EQ(output(result), "UTC'; touch oops; '$(touch oops)\n");
  EXPECT_FALSE(fs::exists(world_.path("work/oops")));
}

// One call waits for what another one does.
TEST_F(ScriptTrapTest, F16CallsAtTheSameTimeAreServedAtTheSameTime) {
  const json::object result = run(R"py(
import threading
from hermes_tools import terminal, write_file
waits = []
one = threading.Thread(target=lambda: waits.append(terminal("until [ -e made ]; do sleep 0.02; done; echo x")))
one.start()
write_file("made", "x")
one.join()
print(waits[0]["output"])
)py");
  EXPECT_EQ(output(result), "x\n") << json::serialize(result);
}

TEST_F(ScriptTrapTest, CallsUnderWayEndAtATimeout) {
  configure("code_execution: {timeout: 6}\n");  // so long that the call begins on any machine
  const json::object result = run(R"py(
from hermes_tools import terminal
terminal("echo $$ >pid; sleep 300")
)py");
  EXPECT_EQ(text(result, "status"), "timeout");
  const std::string pid = trim_end(world_.read("work/pid"));
  ASSERT_NE(pid, "");
  EXPECT_TRUE(eventually([&] { return !fs::exists("/proc/" + pid); }));
}

// The limits that are told to a model are those that hold.
TEST_F(ScriptTrapTest, ModelsAreToldTheLimitsOfTheConfiguration) {
  configure("code_execution: {timeout: 90, max_tool_calls: 7}\n");
  const json::object listed = json::parse(world_.run({"tools", "--json"}).out).as_object();
  std::string description;
  for (const json::value& tool : listed.at("tools").as_array()) {
    if (tool.at("name") == "execute_code") description = tool.at("description").as_string();
  }
  EXPECT_THAT(description, AllOf(HasSubstr("90-second timeout"), HasSubstr("7 tool calls"),
                                 Not(HasSubstr("sandbox")), Not(HasSubstr("isolated")),
                                 Not(HasSubstr("cloud"))));
}

}  // namespace
}  // namespace talaria::test
