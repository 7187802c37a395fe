// execute_code on this machine: what a script gets, and what is told of it.
#include <filesystem>
#include <fstream>

#include "scripts/script_test.h"

namespace talaria::test {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

void ScriptTest::configure(const std::string& yaml) {
  world_.directory("home");
  std::ofstream(world_.path("home/config.yaml")) << yaml;
}

namespace {

TEST_F(ScriptTest, BlankCodeIsNone) {
  const json::object result = run("   \n\t ");
  EXPECT_EQ(text(result, "error"), "No code provided.");
  EXPECT_FALSE(result.contains("status"));
  EXPECT_FALSE(world_.runner()) << "nothing was started";
}

TEST_F(ScriptTest, PrintsAndIsDone) {
  const json::object result = run("print('hi')");
  EXPECT_EQ(text(result, "status"), "success");
  EXPECT_EQ(output(result), "hi\n");
  EXPECT_EQ(result.at("tool_calls_made").as_int64(), 0);
  EXPECT_FALSE(result.contains("error"));
  EXPECT_LT(result.at("duration_seconds").to_number<double>(), 5.0);  // nobody is waited for
}

TEST_F(ScriptTest, WhatGoesToStderrIsNotShownIfAllIsWell) {
  const json::object result = run("import sys; print('x', file=sys.stderr)");
  EXPECT_EQ(text(result, "status"), "success");
  EXPECT_EQ(output(result), "");
}

TEST_F(ScriptTest, AFailureShowsIt) {
  const json::object result = run("import sys\nprint('a')\nsys.exit('bye')");
  EXPECT_EQ(text(result, "status"), "error");
  EXPECT_EQ(output(result), "a\n\n--- stderr ---\nbye\n");
  EXPECT_EQ(text(result, "error"), "bye\n");
}

TEST_F(ScriptTest, OnlyTheBeginningOfALongStderrIsShown) {
  const json::object result = run("import sys\nsys.stderr.write('e' * 3000000)\nsys.exit(3)");
  EXPECT_EQ(text(result, "error"), std::string(10'000, 'e'));
}

TEST_F(ScriptTest, ASignalIs128PlusItsNumber) {
  const json::object result = run("import os\nos.kill(os.getpid(), 9)");
  EXPECT_EQ(text(result, "error"), "Script exited with code 137");
}

TEST_F(ScriptTest, AtItsTimeoutItIsKilledAndWhatItPrintedIsKept) {
  configure("code_execution: {timeout: 1}\n");
  const json::object result = run("import time\nprint('p', flush=True)\ntime.sleep(60)");
  EXPECT_EQ(text(result, "status"), "timeout");
  EXPECT_EQ(text(result, "error"), "Script timed out after 1s and was killed.");
  EXPECT_EQ(output(result), "p\n\n\n⏰ Script timed out after 1s and was killed.");
}

TEST_F(ScriptTest, AlsoOneThatIgnoresTerm) {
  configure("code_execution: {timeout: 1}\n");
  const json::object result =
      run("import os, signal, subprocess, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
          "open('pid', 'w').write(str(os.getpid()) + '\\n')\n"
          "subprocess.Popen(['setsid', 'sleep', '300'])\n"
          "print('p', flush=True)\ntime.sleep(60)");
  EXPECT_EQ(text(result, "status"), "timeout");
  EXPECT_THAT(output(result), StartsWith("p"));
  EXPECT_LT(result.at("duration_seconds").to_number<double>(), 20.0);
  const std::string pid = trim_end(world_.read("work/pid"));
  ASSERT_NE(pid, "");
  EXPECT_FALSE(fs::exists("/proc/" + pid));
}

TEST_F(ScriptTest, AnInterruptEndsItAndTellsWhatItPrinted) {
  LinesClient client(world_);
  const int id = client.send(
      "execute_code", {{"code",
                        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                        "print('so far', flush=True)\nimport os\n"
                        "open('there', 'w').write(str(os.getpid()) + '\\n')\ntime.sleep(300)"}});
  const ProcessName script = process_in("work/there");
  client.cancel(id);
  const json::object result = client.result(id);
  EXPECT_EQ(text(result, "status"), "interrupted");
  EXPECT_EQ(output(result), "so far\n\n[execution interrupted — user sent a new message]");
  EXPECT_FALSE(fs::exists("/proc/" + std::to_string(script.pid)));
}

TEST_F(ScriptTest, WhatItLeavesRunningDelaysNothing) {
  const json::object result =
      run("import subprocess\nprint('done')\nsubprocess.Popen(['sleep', '8'])");
  EXPECT_EQ(text(result, "status"), "success");
  EXPECT_EQ(output(result), "done\n");
  EXPECT_LT(result.at("duration_seconds").to_number<double>(), 5.0);
}

TEST_F(ScriptTest, EachOfManyThreadsGetsItsOwnAnswer) {
  const json::object result = run(R"py(
import threading
from hermes_tools import terminal
answers = {}
def ask(i): answers[i] = terminal(f"echo TAG-{i}")["output"].strip()
threads = [threading.Thread(target=ask, args=(i,)) for i in range(10)]
for t in threads: t.start()
for t in threads: t.join()
print(all(answers[i] == f"TAG-{i}" for i in range(10)), len(answers))
)py");
  EXPECT_EQ(output(result), "True 10\n") << json::serialize(result);
  EXPECT_EQ(result.at("tool_calls_made").as_int64(), 10);
}

TEST_F(ScriptTest, AnAnswerThatComesTooLateIsNotTakenForTheNextOne) {
  const json::object result = run(R"py(
import hermes_tools
hermes_tools._PATIENCE = 0.3
try:
    hermes_tools.terminal("sleep 1; echo late")
except RuntimeError as error:
    print(error)
hermes_tools._PATIENCE = 300
print(hermes_tools.terminal("echo mine")["output"].strip())
)py");
  EXPECT_EQ(output(result), "RPC timeout: no response for terminal after 0s\nmine\n");
}

TEST_F(ScriptTest, AProgramItStartsCanCallTools) {
  const json::object result = run(R"py(
import subprocess, sys
from hermes_tools import terminal
terminal("true")
code = "from hermes_tools import terminal; print(terminal('echo inner')['output'].strip())"
print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30).stdout)
)py");
  EXPECT_THAT(output(result), StartsWith("inner\n")) << json::serialize(result);
}

TEST_F(ScriptTest, AForkedChildDoesNotReadItsParentsAnswers) {
  const json::object result = run(R"py(
import os
from hermes_tools import terminal
terminal("true")
if os.fork() == 0:
    print(terminal("echo child")["output"].strip(), flush=True)
    os._exit(0)
os.wait()
print(terminal("echo parent")["output"].strip())
)py");
  EXPECT_EQ(output(result), "child\nparent\n");
}

// A client of its own making, at the socket.
constexpr const char* kRawClient = R"py(
import json, os, socket
raw = socket.socket(socket.AF_UNIX)
raw.connect(os.environ["HERMES_RPC_SOCKET"])
lines = raw.makefile()
def ask(text):
    raw.sendall(text.encode())
    return json.loads(lines.readline())
)py";

TEST_F(ScriptTest, WhatIsNoRequestIsToldSo) {
  const json::object result = run(std::string(kRawClient) + R"py(
print("error" in ask("[1,2]\n"))
print(ask('{"tool": "terminal", "args": {"command": "echo on"}}\n')["output"].strip())
print("error" in ask('{"tool": "terminal", "args": [1]}\n'))
print("error" in ask('{"tool": 3}\n'))
)py");
  EXPECT_EQ(output(result), "True\non\nTrue\nTrue\n");
}

TEST_F(ScriptTest, ABadLineCountsForNothing) {
  const json::object result = run(std::string(kRawClient) + R"py(
print(ask("{bad\n")["error"][:22])
raw.sendall(b"\n  \n")
print(ask('{"id": 7, "tool": "terminal", "args": {"command": "echo x"}}\n')["id"])
)py");
  EXPECT_EQ(output(result), "Invalid RPC request: t\n7\n");
  EXPECT_EQ(result.at("tool_calls_made").as_int64(), 1);
}

TEST_F(ScriptTest, WhatIsNotAllowedCannotBeImported) {
  LinesClient client(world_);
  client.send_line(json::serialize(
      json::object{{"id", 1},
                   {"tool", "execute_code"},
                   {"tools", json::array{"web_search"}},
                   {"args", json::object{{"code", "from hermes_tools import terminal"}}}}));
  const json::object result = client.result(1);
  EXPECT_EQ(text(result, "status"), "error");
  EXPECT_THAT(text(result, "error"), HasSubstr("ImportError"));
}

TEST_F(ScriptTest, AnEmptyListMeansNone) {
  LinesClient client(world_);
  client.send_line(json::serialize(json::object{
      {"id", 1},
      {"tool", "execute_code"},
      {"tools", json::array{"vision_analyze"}},
      {"args",
       json::object{{"code",
                     "import hermes_tools\nprint(hasattr(hermes_tools, 'terminal'))\n"
                     "print(hermes_tools._call('terminal', {'command': 'echo x'})['error'])\n"
                     "print(hermes_tools.shell_quote(\"a'b\"))"}}}}));
  EXPECT_EQ(output(client.result(1)),
            "False\nTool 'terminal' is not available in execute_code. Available: \n'a'\"'\"'b'\n");
}

TEST_F(ScriptTest, NeitherItselfNorProcessesCanBeCalled) {
  const json::object result = run(R"py(
from hermes_tools import _call
print(_call("execute_code", {"code": "1"})["error"][:43], _call("process", {})["error"][:23])
)py");
  EXPECT_EQ(output(result),
            "Tool 'execute_code' is not available in exe Tool 'process' is not a\n");
  EXPECT_EQ(result.at("tool_calls_made").as_int64(), 0);
}

TEST_F(ScriptTest, CallsHaveALimit) {
  configure("code_execution: {max_tool_calls: 2}\n");
  const json::object result = run(R"py(
from hermes_tools import terminal
for i in range(4): print(terminal("echo x").get("error"))
)py");
  EXPECT_EQ(
      output(result),
      "None\nNone\nTool call limit reached (2). No more tool calls allowed in this execution.\n"
      "Tool call limit reached (2). No more tool calls allowed in this execution.\n");
  EXPECT_EQ(result.at("tool_calls_made").as_int64(), 2);
}

TEST_F(ScriptTest, And27NoSecretAndNothingOfOursReachesIt) {
  for (const char* name : {"OPENAI_API_KEY", "GITHUB_TOKEN", "DB_PASSWORD", "SENTRY_DSN",
                           "X_WEBHOOK", "HERMES_BASE_URL", "FOO", "TERMINAL_SSH_HOST",
                           "HOMEBREW_PREFIX", "XDG_TOKEN", "TALARIA_AUDIT"}) {
    world_.set(name, "1");
  }
  world_.set("XDG_DATA_HOME", "/x");
  world_.set("LC_TIME", "C");
  const json::object result = run("import os\nprint(' '.join(sorted(os.environ)))");
  const std::string names = " " + output(result);
  for (const char* name : {"OPENAI", "GITHUB", "DB_", "SENTRY", "WEBHOOK", "BASE_URL", "FOO",
                           "TERMINAL_", "HOMEBREW", "XDG_TOKEN", "TALARIA_"}) {
    EXPECT_THAT(names, Not(HasSubstr(name)));
  }
  for (const char* name :
       {" PATH ", " HOME ", " LANG ", " XDG_DATA_HOME", " LC_TIME ", " PYTHONUTF8 "}) {
    EXPECT_THAT(names, HasSubstr(name));
  }
}

TEST_F(ScriptTest, TheTimeZone) {
  world_.set("HERMES_TIMEZONE", " Asia/Tokyo ");
  const json::object result =
      run("import os\nprint(os.environ['TZ'], 'HERMES_TIMEZONE' in os.environ)");
  EXPECT_EQ(output(result), "Asia/Tokyo False\n");
}

TEST_F(ScriptTest, WhatIsPassedThroughIsUnlessItIsTheAgents) {
  configure("terminal: {env_passthrough: [TENOR_API_KEY, OPENAI_API_KEY]}\n");
  world_.set("TENOR_API_KEY", "a");
  world_.set("OPENAI_API_KEY", "b");
  const json::object result =
      run("import os\nprint('TENOR_API_KEY' in os.environ, 'OPENAI_API_KEY' in os.environ)");
  EXPECT_EQ(output(result), "True False\n");
}

TEST_F(ScriptTest, TheMiddleOfALongOutputIsLeftOut) {
  const json::object whole = run("import sys\nsys.stdout.write('x' * 50000)");
  EXPECT_EQ(output(whole), std::string(50'000, 'x'));
  const json::object cut = run("import sys\nsys.stdout.write('a' * 20000 + 'b' + 'c' * 30000)");
  EXPECT_EQ(output(cut), std::string(20'000, 'a') +
                             "\n\n... [OUTPUT TRUNCATED - 1 chars omitted out of 50,001 total] "
                             "...\n\n" +
                             std::string(30'000, 'c'));
}

TEST_F(ScriptTest, CharactersStayWhole) {
  const json::object result = run("import sys\nsys.stdout.write('x' + 'é' * 40000)");
  std::string expected = "x";
  for (int i = 0; i < 9999; ++i) expected += "é";
  expected += "\n\n... [OUTPUT TRUNCATED - 30,002 chars omitted out of 80,001 total] ...\n\n";
  for (int i = 0; i < 15'000; ++i) expected += "é";
  EXPECT_EQ(output(result), expected);
}

TEST_F(ScriptTest, ASecretAtTheCutIsNotShown) {
  const json::object result = run(
      "import sys\nsys.stdout.write('x' * 19990 + ' sk-proj-' + 'Z1' * 40 + ' ' + 'y' * 60000)");
  EXPECT_THAT(output(result), Not(HasSubstr("Z1Z1Z1")));
  const json::object tail = run(
      "import sys\nsys.stdout.write('x' * 60000 + ' sk-proj-' + 'Z1' * 40 + ' ' + 'y' * 29950)");
  EXPECT_THAT(output(tail), Not(HasSubstr("Z1Z1Z1")));
}

TEST_F(ScriptTest, OutputIsPlainAndMasked) {
  const json::object result =
      run("print('\\x1b[31mred\\x1b[0m sk-proj-abc123def456ghi789jkl012')\nimport sys\n"
          "sys.exit('TOKEN=abcdef \\x1b[1mx')");
  EXPECT_EQ(output(result), "red sk-pro...l012\n\n--- stderr ---\nTOKEN=*** x\n");
}

TEST_F(ScriptTest, ItCannotSwitchMaskingOff) {
  const json::object result = run(R"py(
from hermes_tools import terminal
terminal("export HERMES_REDACT_SECRETS=false")
print("sk-proj-abc123def456ghi789jkl012", terminal("echo sk-proj-abc123def456ghi789jkl012")["output"])
)py");
  EXPECT_THAT(output(result), Not(HasSubstr("abc123")));
}

TEST_F(ScriptTest, AResultOfAnySizeComesOnceAndWhole) {
  configure("tool_output: {max_bytes: 5000000}\n");
  const json::object result = run(R"py(
from hermes_tools import terminal
answer = terminal("echo x >>ran; head -c 3000000 /dev/zero | tr '\\0' y")
print(len(answer["output"]), open("ran").read())
)py");
  EXPECT_EQ(output(result), "3000000 x\n\n");
}

TEST_F(ScriptTest, ALongScriptRuns) {
  LinesClient client(world_);  // the command line would be too long for it
  const std::string code = "x = '" + std::string(150'000, 'a') + "'\nprint(len(x))";
  EXPECT_EQ(output(client.call("execute_code", {{"code", code}})), "150000\n");
}

TEST_F(ScriptTest, TheSessionStaysAsItIs) {
  world_.directory("work/sub");
  terminal("cd sub; export MINE=1");
  const json::object result = run(R"py(
import os
os.chdir("/")
from hermes_tools import terminal
print(terminal("pwd; echo $MINE; export MINE=2")["output"])
)py");
  EXPECT_EQ(output(result), world_.path("work/sub") + "\n1\n");
  EXPECT_EQ(terminal("pwd; echo $MINE"), world_.path("work/sub") + "\n2");
}

TEST_F(ScriptTest, ItsOwn124Is124) {
  for (const int code : {124, 130, 126, 127}) {
    const json::object result = run("import sys; sys.exit(" + std::to_string(code) + ")");
    EXPECT_EQ(text(result, "status"), "error");
    EXPECT_EQ(text(result, "error"), "Script exited with code " + std::to_string(code));
  }
}

TEST_F(ScriptTest, WithoutPythonNothingRuns) {
  configure("code_execution: {python: /nowhere/python3}\n");
  const json::object result = run("print(1)");
  EXPECT_EQ(text(result, "status"), "error");
  EXPECT_THAT(text(result, "error"), StartsWith("Python 3 is not available in the local terminal"));
  EXPECT_THAT(text(result, "error"),
              EndsWith(" code_execution.python is '/nowhere/python3', which cannot be used."));
  EXPECT_EQ(result.at("tool_calls_made").as_int64(), 0);
  EXPECT_FALSE(result.contains("output"));
}

TEST_F(ScriptTest, NothingIsLeftOfIt) {
  configure("code_execution: {timeout: 1}\n");
  for (const char* code :
       {"print(1)", "1/0", "import os; os.kill(os.getpid(), 9)", "import time; time.sleep(9)"}) {
    run(code);
  }
  std::vector<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(world_.runner_directory())) {
    const std::string name = entry.path().filename();
    if (name.starts_with("rpc-") || name.starts_with("proc_") || name.ends_with(".py")) {
      left.push_back(entry.path());
    }
  }
  EXPECT_THAT(left, IsEmpty());
}

TEST_F(ScriptTest, And45ItRunsWhereTheSessionIsAndImportsFromThere) {
  world_.directory("work/sub");
  std::ofstream(world_.path("work/sub/mymod.py")) << "value = 42\n";
  terminal("cd sub");
  const json::object result = run("import os, mymod\nprint(os.getcwd(), mymod.value)");
  EXPECT_EQ(output(result), world_.path("work/sub") + " 42\n");
}

TEST_F(ScriptTest, StrictModeRunsInADirectoryOfItsOwn) {
  configure("code_execution: {mode: strict}\n");
  world_.set("VIRTUAL_ENV", "/nowhere");
  const json::object result = run("import os\nprint(os.listdir())");
  EXPECT_THAT(output(result), AllOf(HasSubstr("script.py"), HasSubstr("hermes_tools.py")));
}

TEST_F(ScriptTest, AVenvOfTheSessionIsUsed) {
  terminal("python3 -m venv --without-pip v");
  terminal(". v/bin/activate");
  const json::object result = run("import sys\nprint(sys.prefix)");
  EXPECT_EQ(output(result), world_.path("work/v") + "\n");
}

TEST_F(ScriptTest, ABrokenVenvIsNot) {
  world_.directory("work/v/bin");
  std::ofstream(world_.path("work/v/bin/python")) << "#!/bin/sh\nexit 1\n";
  fs::permissions(world_.path("work/v/bin/python"), fs::perms::owner_all);
  world_.set("VIRTUAL_ENV", world_.path("work/v"));
  EXPECT_EQ(output(run("print('still')")), "still\n");
}

TEST_F(ScriptTest, ThereIsNoInput) {
  const json::object result = run("input()");
  EXPECT_THAT(text(result, "error"), HasSubstr("EOFError"));
}

TEST_F(ScriptTest, CallsUnderWayEndWithTheScript) {
  const json::object result = run(R"py(
import os, threading, time
from hermes_tools import terminal
threading.Thread(target=terminal, args=("echo $$ >pid; sleep 300",), daemon=True).start()
while not os.path.exists("pid") or not open("pid").read().endswith("\n"): time.sleep(0.01)
print("over", flush=True)
os._exit(0)
)py");
  EXPECT_EQ(output(result), "over\n");
  const std::string pid = world_.read("work/pid");
  EXPECT_TRUE(eventually([&] { return !fs::exists("/proc/" + pid.substr(0, pid.find('\n'))); }));
}

TEST_F(ScriptTest, TheHelpersDoWhatTheySay) {
  const json::object result = run(R"py(
from hermes_tools import json_parse, shell_quote, retry
print(json_parse('{"a": "x\ty"}'), shell_quote("a b"))
tries = []
def flaky():
    tries.append(1)
    if len(tries) < 3: raise ValueError(len(tries))
    return "ok"
print(retry(flaky, delay=0), len(tries))
try:
    retry(lambda: 1 / 0, max_attempts=2, delay=0)
except ZeroDivisionError:
    print("raised")
)py");
  EXPECT_EQ(output(result), "{'a': 'x\\ty'} 'a b'\nok 3\nraised\n");
}

TEST_F(ScriptTest, NothingIsImportedThatItDidNotAskFor) {
  const json::object result =
      run("import sys\nimport hermes_tools\nprint('json' in sys.modules, 'socket' in sys.modules)");
  EXPECT_EQ(output(result), "False False\n");
}

}  // namespace
}  // namespace talaria::test
