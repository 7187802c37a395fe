// Scripts that do odd things to themselves, to their place and to those who serve them.
#include <filesystem>
#include <fstream>

#include "scripts/script_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class OddScriptTest : public ScriptTest {
 protected:
  void put(const std::string& name, std::string_view content) {
    std::ofstream(world_.path("work/" + name)) << content;
  }
};

// A project may have files by the names of Python's own modules: they are in nobody's way, neither
// of the interpreter's start, nor of the script, nor of the calls it makes.
TEST_F(OddScriptTest, ModulesOfTheProjectHideNoneOfPythons) {
  for (const char* name : {"json", "re", "socket", "_socket", "os", "hermes_tools", "enum",
                           "sitecustomize", "usercustomize"}) {
    put(std::string(name) + ".py", "raise SystemExit('the one of the project')\n");
  }
  put("mine.py", "value = 42\n");
  const json::object result = run(R"py(
import json, re, subprocess, sys
import mine
from hermes_tools import terminal, shell_quote, json_parse
print(terminal("echo called")["output"], mine.value, shell_quote("a b"), json_parse("[1]"))
code = "import hermes_tools; print(hermes_tools.terminal('echo inner')['output'])"
print(subprocess.run([sys.executable, "-c", code], cwd="/", capture_output=True, text=True).stdout)
)py");
  EXPECT_THAT(output(result), StartsWith("called 42 'a b' [1]\ninner\n"))
      << json::serialize(result);
}

TEST_F(OddScriptTest, WhatPythonRunsAtItsStartElsewhereIsRunAsWell) {
  world_.directory("work/p");
  put("p/sitecustomize.py", "import builtins\nbuiltins.from_site = 7\n");
  put("p/usercustomize.py", "import builtins\nbuiltins.from_user = from_site + 1\n");
  terminal("export PYTHONPATH=$PWD/p");
  EXPECT_EQ(output(run("import sitecustomize\nprint(from_site, from_user)")), "7 8\n");
}

TEST_F(OddScriptTest, WhatCannotBeSentIsToldAndTheNextCallWorks) {
  const json::object result = run(R"py(
from hermes_tools import read_file, terminal, _call
print("error" in terminal("echo x", timeout=float("nan")))
print("error" in read_file("caf\udce9"))
deep = []
for _ in range(500): deep = [deep]
print("error" in _call("terminal", {"command": "echo x", "more": deep}))
try:
    read_file(b"bytes")
except TypeError as error:
    print(error)
print(terminal("echo on")["output"])
)py");
  EXPECT_EQ(output(result), "True\nTrue\nTrue\nObject of type bytes is not JSON serializable\non\n")
      << json::serialize(result);
}

// With noclobber the list of variables stayed empty and nothing was taken away; with allexport what
// starts the script took away its own variables.
TEST_F(OddScriptTest, OptionsOfTheSessionDoNotReachIt) {
  world_.set("MY_API_KEY", "1");
  for (const char* option : {"set -o noclobber", "set -a", "export python=/x name=y place=/z"}) {
    SCOPED_TRACE(option);
    terminal(option);
    const json::object result = run("import os\nprint('MY_API_KEY' in os.environ)");
    EXPECT_EQ(output(result), "False\n") << json::serialize(result);
  }
}

TEST_F(OddScriptTest, EveryWayToEndIsToldAsItWas) {
  const struct {
    const char* code;
    const char* output;
    const char* error;
  } cases[] = {
      {"import os\nprint('x', flush=True)\nos._exit(5)", "x\n", "Script exited with code 5"},
      {"import os, threading\nthreading.Thread(target=lambda: os._exit(4)).start()\n"
       "threading.Event().wait()",
       "", "Script exited with code 4"},
      {"import os\nos.kill(os.getpid(), 11)", "", "Script exited with code 139"},
      {"import os\nos.closerange(0, 64)\nos._exit(3)", "", "Script exited with code 3"},
      {"import atexit\natexit.register(print, 'bye')\nprint('x')", "x\nbye\n", "(none)"},
      {"import os\nprint('a', flush=True)\nos.close(1)\nos.close(2)", "a\n", "(none)"},
      {"print(1)\r\nprint(2)\r\n", "1\n2\n", "(none)"},
      {"\xEF\xBB\xBFprint('marked')", "marked\n", "(none)"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.code);
    const json::object result = run(c.code);
    EXPECT_EQ(output(result), c.output);
    EXPECT_EQ(text(result, "error"), c.error);
  }
}

TEST_F(OddScriptTest, AnyAmountOfAnyBytesIsOutput) {
  const json::object result =
      run("import sys\nfor _ in range(20): sys.stdout.buffer.write((b'\\xff' * 999 + "
          "b'\\0') * 1000)\n"
          "sys.stderr.write('e' * 5000000)\nprint('END')");
  EXPECT_EQ(text(result, "status"), "success");
  EXPECT_THAT(output(result), HasSubstr("omitted out of 20,000,004 total"));
  EXPECT_THAT(output(result), EndsWith("END\n"));
}

TEST_F(OddScriptTest, WhoRemovesItsOwnPlaceIsOnItsOwn) {
  const json::object result = run(R"py(
import os, shutil, sys
from hermes_tools import terminal
print(terminal("echo before")["output"])
shutil.rmtree(os.path.dirname(sys.argv[0]))
os.unlink(os.environ["HERMES_RPC_SOCKET"])
print(terminal("echo after")["output"])
os.makedirs("gone"); os.chdir("gone"); os.rmdir("../gone")
print(terminal("pwd")["output"])
)py");
  EXPECT_EQ(output(result), "before\nafter\n" + world_.path("work") + "\n")
      << json::serialize(result);
}

TEST_F(OddScriptTest, ManyConnectionsDoNotKeepOthersOut) {
  const json::object result = run(R"py(
import os, socket
held = []
for _ in range(300):
    held.append(socket.socket(socket.AF_UNIX))
    held[-1].connect(os.environ["HERMES_RPC_SOCKET"])
    held[-1].sendall(b'{"half a line')
from hermes_tools import terminal
print(terminal("echo served")["output"])
)py");
  EXPECT_EQ(output(result), "served\n") << json::serialize(result);
  EXPECT_EQ(result.at("tool_calls_made").as_int64(), 1);
}

TEST_F(OddScriptTest, WhoClosesItsOwnDirectionIsStillAnswered) {
  const json::object result = run(R"py(
import os, socket
raw = socket.socket(socket.AF_UNIX)
raw.connect(os.environ["HERMES_RPC_SOCKET"])
raw.sendall(b'{"id": 1, "tool": "terminal", "args": {"command": "echo told"}}\n')
raw.shutdown(socket.SHUT_WR)
raw.settimeout(30)
print("told" in raw.makefile().read())  # to its end
)py");
  EXPECT_EQ(output(result), "True\n") << json::serialize(result);
}

// Whatever went wrong with an answer, the next call has a connection of its own: it would read what
// was meant for the one before.
TEST_F(OddScriptTest, AfterABadAnswerTheNextCallIsNotOutOfStep) {
  const json::object result = run(R"py(
import json, os, socket, threading
from hermes_tools import _call
here = socket.socket(socket.AF_UNIX)
here.bind("agent")
here.listen(8)
os.environ["HERMES_RPC_SOCKET"] = "agent"
bad = [b"no json\n", b'{"error": "first"}\n', b"[]\n", b'{"id": 1}\n', b'{"id": 99, "result": 1}\n']
def serve():
    for first in bad + [None]:
        connection, _ = here.accept()
        lines = connection.makefile("rb")
        asked = json.loads(lines.readline())
        connection.sendall(first or json.dumps({"id": asked["id"], "result": "well"}).encode() + b"\n")
        if first and lines.readline():  # it should be closed
            connection.sendall(b'{"id": 2, "result": "of the one before"}\n')
threading.Thread(target=serve, daemon=True).start()
for _ in range(6):
    try:
        print(_call("terminal", {}))
    except RuntimeError as error:
        print(error)
)py");
  EXPECT_EQ(output(result),
            "Agent process sent no proper answer\n{'error': 'first'}\n"
            "Agent process sent no proper answer\nAgent process sent no proper answer\n"
            "Agent process answered another call\nwell\n")
      << json::serialize(result);
}

// A child that lives on finds nobody there any more; it does not start anything.
TEST_F(OddScriptTest, WhoOutlivesTheScriptIsNotServed) {
  const json::object result = run(R"py(
import os, time
from hermes_tools import terminal
terminal("true")
if os.fork() == 0:
    os.setsid()
    while not os.path.exists("gone"): time.sleep(0.02)  # what was told of the script
    try:
        terminal("echo late >late")
        said = "served"
    except RuntimeError as error:
        said = str(error)
    with open("said.new", "w") as file: file.write(said)
    os.rename("said.new", "said")
    os._exit(0)
print("main")
)py");
  EXPECT_EQ(output(result), "main\n");
  put("gone", "");
  ASSERT_TRUE(appears("work/said"));
  EXPECT_FALSE(fs::exists(world_.path("work/late")));
}

TEST_F(OddScriptTest, F4OneThatCannotBePutThereIsSaidAndNothingRuns) {
  terminal("true");  // a runner is there
  const std::string place = world_.runner_directory() + "/scripts";
  fs::remove_all(place);
  std::ofstream(place) << "in the way";
  const json::object result = run("open('ran', 'w').close()\nprint(1)");
  EXPECT_EQ(text(result, "status"), "error");
  EXPECT_THAT(text(result, "error"), HasSubstr("the script cannot be put there"));
  EXPECT_THAT(text(result, "error"), HasSubstr(place));
  EXPECT_FALSE(fs::exists(world_.path("work/ran")));
  fs::remove(place);
  EXPECT_EQ(output(run("print(1)")), "1\n");
}

// Each call woke the runner up twice. This one is answered by the controller alone. (On a busy
// machine the first connection may be made before the controller has found the socket.)
TEST_F(OddScriptTest, ACallDoesNotPassTheRunner) {
  terminal("true");  // a runner is there
  const json::object result = run("runner = " + std::to_string(world_.runner()->pid()) + R"py(
import hermes_tools
def turns():
    with open("/proc/%d/status" % runner) as status:
        return sum(int(line.split()[1]) for line in status if "ctxt_switches" in line)
def turns_of_many_calls():
    hermes_tools._mine.pid = None  # over a new connection
    hermes_tools._call("no_tool", {})
    before = turns()
    for _ in range(200): hermes_tools._call("no_tool", {})
    return turns() - before
print(any(turns_of_many_calls() < 50 for _ in range(20)))
)py");
  EXPECT_EQ(output(result), "True\n") << json::serialize(result);
}

// A script, or any command, used the tools of another session by its socket.
TEST_F(ScriptTest, AScriptUsesItsOwnSocketAndNoOther) {
  LinesClient agent(world_);
  const int first = agent.send("execute_code", {{"code", R"py(
import os, time
from hermes_tools import terminal
open("socket.new", "w").write(os.environ["HERMES_RPC_SOCKET"])
os.rename("socket.new", "socket")
while not os.path.exists("tried"): time.sleep(0.05)
print(terminal("echo mine")["output"].strip())
)py"}},
                               "one");
  ASSERT_TRUE(appears("work/socket"));
  const std::string stranger = R"py(
import socket
other = socket.socket(socket.AF_UNIX)
other.connect(open("socket").read())
try:
    other.sendall(b'{"tool": "terminal", "args": {"command": "echo stolen > stolen"}}\n')
    print(other.recv(1000) or "closed")
except OSError:
    print("closed")
)py";
  const json::object script = agent.result(agent.send("execute_code", {{"code", stranger}}, "two"));
  EXPECT_EQ(output(script), "closed\n");
  const json::object command = agent.result(agent.send(
      "terminal", {{"command", "python3 - <<'EOF'\n" + stranger + "EOF\ntrue"}, {"force", true}},
      "two"));
  EXPECT_THAT(output(command), testing::HasSubstr("closed")) << json::serialize(command);
  std::ofstream(world_.path("work/tried")) << "yes";
  EXPECT_EQ(output(agent.result(first)), "mine\n") << "its own still works";
  EXPECT_EQ(world_.read("work/stolen"), "");
}

}  // namespace
}  // namespace talaria::test
