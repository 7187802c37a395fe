// What is asked before a script runs: it is judged like the commands that would do the same.
#include <filesystem>
#include <fstream>
#include <string>

#include "scripts/script_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(ScriptTest, AScriptThatIsDeniedDoesNotRun) {
  world_.set("HERMES_CRON_SESSION", "1");
  const json::object result =
      run("open('ran', 'w').write('x')\nimport os\nos.system('git push --force')");
  EXPECT_EQ(text(result, "status"), "error");
  EXPECT_THAT(text(result, "error"), StartsWith("BLOCKED"));
  EXPECT_EQ(result.at("tool_calls_made").as_int64(), 0);
  EXPECT_FALSE(fs::exists(world_.path("work/ran")));
}

// A script that only computes, or writes files of its project, is like a command that does.
TEST_F(ScriptTest, AScriptWithoutAConcernRunsWhereverNobodyCanBeAsked) {
  world_.set("TALARIA_APPROVALS_HEADLESS", "deny");
  const std::string code =
      "import json, subprocess, sys\nopen('ran', 'w').write(json.dumps([1]))\n"
      "print(subprocess.run([sys.executable, '-c', 'print(2)'], capture_output=True).stdout)";
  EXPECT_EQ(output(run(code)), "b'2\\n'\n");
  for (const char* const setting : {"HERMES_CRON_SESSION", "HERMES_GATEWAY_SESSION"}) {
    world_.set(setting, "1");
    EXPECT_EQ(text(run(code), "status"), "success") << setting;
  }
}

// It ran, and was written down as approved (harmless).
TEST_F(ScriptTest, AScriptThatClearsTheHomeIsRefusedInEveryMode) {
  world_.set("HERMES_YOLO_MODE", "1");
  std::ofstream(world_.path("user/precious")) << "x";
  for (const char* const code :
       {"import os; os.system('rm -rf ~/*')",
        "import subprocess as s\ns.run('rm -rf ~/*', shell=True)",
        "import shutil, os\nshutil.rmtree(os.path.expanduser('~'))",
        "from pathlib import Path\nimport shutil\nshutil.rmtree(Path.home())",
        "c = 'rm -rf ~/*'\n__import__('os').system(c)"}) {
    const json::object result = run(code);
    EXPECT_THAT(text(result, "error"), StartsWith("BLOCKED (hardline)")) << code;
  }
  EXPECT_TRUE(fs::exists(world_.path("user/precious")));
  EXPECT_THAT(world_.run({"audit", "--json"}).out, HasSubstr(R"("reason":"hardline")"));
}

TEST_F(ScriptTest, AScriptWithAConcernIsAskedAboutAndShown) {
  world_.set("HERMES_GATEWAY_SESSION", "1");
  configure("approvals: {wait: false}\n");
  const std::string code =
      "open('ran', 'w').write('x')\nimport os\nos.remove(os.getcwd() + input())";
  const json::object result = run(code);
  EXPECT_EQ(text(result, "status"), "error");
  EXPECT_THAT(text(result, "error"), HasSubstr("talaria approve " + text(result, "approval_id")));
  EXPECT_FALSE(fs::exists(world_.path("work/ran")));
  const Finished listed = world_.run({"approvals"});
  EXPECT_THAT(listed.out, HasSubstr("execute_code <<'PY'"));
  EXPECT_THAT(listed.out, HasSubstr("open('ran', 'w')"));
  EXPECT_EQ(world_.run({"approve", text(result, "approval_id")}).code(), 0);
  EXPECT_THAT(text(run(code), "error"), HasSubstr("EOFError")) << "it ran";
  EXPECT_TRUE(fs::exists(world_.path("work/ran")));
}

TEST_F(ScriptTest, ACallThatWaitsForApprovalSaysHowToApprove) {
  world_.set("HERMES_GATEWAY_SESSION", "1");
  configure("approvals: {wait: false}\n");
  world_.directory("work/precious");
  const json::object result = run(R"py(
import os
from hermes_tools import terminal, write_file
first = terminal("rm -rf " + os.getcwd() + "/precious")
print(first["status"], first["approve_with"].startswith("talaria approve "), first["error"] != "")
second = write_file("~/.bashrc", "x")
print(second["approve_with"] in second["error"])
)py");
  EXPECT_EQ(output(result), "pending_approval True True\nTrue\n");
  ASSERT_TRUE(result.contains("notices")) << json::serialize(result);
  EXPECT_EQ(result.at("notices").as_array().size(), 2u);
  EXPECT_THAT(json::serialize(result.at("notices")), HasSubstr("talaria approve "));
  EXPECT_FALSE(fs::exists(world_.path("user/.bashrc")));
}

TEST_F(ScriptTest, WhatItRunsIsJudged) {
  world_.set("TALARIA_APPROVALS_HEADLESS", "deny");
  world_.directory("work/precious");
  const json::object result = run(R"py(
import os
from hermes_tools import terminal
print(terminal("rm -rf " + os.getcwd() + "/precious")["status"])
)py");
  EXPECT_EQ(output(result), "blocked\n");
  EXPECT_TRUE(fs::exists(world_.path("work/precious")));
}

TEST_F(ScriptTest, ItIsJudgedOverJsonLinesToo) {
  std::ofstream(world_.path("user/precious")) << "x";
  LinesClient client(world_);
  const json::object result =
      client.call("execute_code", {{"code", "import os; os.system('rm -rf ~/*')"}});
  EXPECT_THAT(text(result, "error"), StartsWith("BLOCKED (hardline)"));
  EXPECT_TRUE(fs::exists(world_.path("user/precious")));
}

}  // namespace
}  // namespace talaria::test
