// Scripts that call tools. Without Python at the target, every script must fail with that reason. A
// Python without its standard library runs scripts, but none that call tools.
#include <memory>
#include <string_view>

#include "front/check/check_case.h"
#include "front/check/together.h"

namespace talaria::front::check {
namespace {

struct Script {
  const char* name;
  const char* code;
  const char* output;
  const char* status = "success";
};

constexpr Script kScripts[] = {
    {"prints", "print('hi')", "hi\n"},
    {"prints-unicode", "print('h\xC3\xA9 \xE2\x80\x94 \xF0\x9F\x98\x80')",
     "h\xC3\xA9 \xE2\x80\x94 \xF0\x9F\x98\x80\n"},
    {"own-exit-code", "import sys\nsys.exit(124)", "", "error"},
    {"shows-stderr-of-a-failure", "import sys\nprint('a')\nsys.exit('bye')",
     "a\n\n--- stderr ---\nbye\n", "error"},
    {"hides-stderr-of-a-success", "import sys\nsys.stderr.write('x')\nprint('a')", "a\n"},
    {"has-no-input", "try:\n    input()\nexcept EOFError:\n    print('none')", "none\n"},
    {"calls-a-tool",
     "from hermes_tools import terminal\nprint(terminal('echo $((6 * 7))')['output'].strip())",
     "42\n"},
    {"calls-many-at-once",
     // The first call is not in a thread: a script does not end with the error of a thread.
     "import threading\nfrom hermes_tools import terminal\nterminal('true')\nseen = {}\n"
     "def ask(i): seen[i] = terminal(f'echo {i}')['output'].strip()\n"
     "all = [threading.Thread(target=ask, args=(i,)) for i in range(8)]\n"
     "[t.start() for t in all]\n[t.join() for t in all]\n"
     "print(seen == {i: str(i) for i in range(8)})",
     "True\n"},
    {"gets-a-long-answer",
     "from hermes_tools import terminal\n"
     "print(len(terminal('yes | head -c 40000')['output']) > 39000)",
     "True\n"},
    {"gets-a-very-long-answer-once",
     "import os, tempfile\nfrom hermes_tools import search_files, terminal\n"
     "with tempfile.TemporaryDirectory() as place:\n"
     "    open(place + '/f', 'w').write(('needle ' + 'x' * 60 + '\\n') * 4000)\n"
     "    found = search_files('needle', path=place, limit=4000)\n"
     "    terminal('echo x >>' + place + '/ran; yes | head -c 40000')\n"
     "    print(len(found['matches']), open(place + '/ran').read().split())",
     "4000 ['x']\n"},
    {"reads-and-searches-as-often-as-it-likes",
     "import tempfile\nfrom hermes_tools import read_file, search_files\n"
     "with tempfile.TemporaryDirectory() as place:\n"
     "    open(place + '/f', 'w').write('needle\\n' * 20)\n"
     "    print({read_file(place + '/f', limit=1)['content'] for _ in range(5)},\n"
     "          {len(search_files('needle', path=place, limit=3)['matches']) for _ in range(5)})",
     "{'1|needle'} {3}\n"},
    {"sends-a-long-call",
     "from hermes_tools import terminal\nprint(terminal('# ' + 'x' * 300000 + '\\necho ran')"
     "['output'].strip())",
     "ran\n"},
    {"may-be-long", nullptr, "200000\n"},
    {"cannot-call-every-tool",
     "from hermes_tools import _call\nprint('error' in _call('process', {}))", "True\n"},
    {"leaves-work-behind-and-is-done",
     "import subprocess\nsubprocess.Popen(['sleep', '20'])\nprint('done')", "done\n"},
};

std::string code_of(const Script& row) {
  return row.code ? row.code : "x = '" + std::string(200'000, 'a') + "'\nprint(len(x))";
}

void expect_no_python_error(Trial& trial, const json::object& answer) {
  trial.field(answer, "status", "error");
  trial.contains("error", text_field(answer, "error"), "Python 3 is not available in the ");
}

Task<bool> has_python(Trial& trial) {
  co_return co_await trial.agent().output_of("command -v python3 >/dev/null && echo yes") == "yes";
}

Task<bool> can_call_tools(Trial& trial) {
  co_return co_await trial.agent().output_of("python3 -c 'import json' 2>/dev/null && echo yes") ==
      "yes";
}

// For a script that calls tools: true if it did what it could.
Task<bool> is_refused(Trial& trial, const json::object& answer) {
  if (!co_await has_python(trial)) {
    expect_no_python_error(trial, answer);
    co_return true;
  }
  if (co_await can_call_tools(trial)) co_return false;
  trial.field(answer, "status", "error");
  trial.contains("error", text_field(answer, "error"), "odule");  // names the one that is missing
  co_return true;
}

Task<void> runs(Trial& trial, const Script& row) {
  const json::object answer = co_await trial.agent().script(code_of(row));
  const bool calls_tools = row.code && std::string_view(row.code).contains("hermes_tools");
  if (calls_tools && co_await is_refused(trial, answer)) co_return;
  if (!calls_tools && !co_await has_python(trial)) {
    expect_no_python_error(trial, answer);
    co_return;
  }
  trial.field(answer, "status", row.status);
  trial.field(answer, "output", row.output);
}

Task<void> spares_the_session(Trial& trial) {
  co_await trial.agent().terminal({{"command", "cd " + trial.directory() + " && export A=1"}});
  const json::object answer = co_await trial.agent().script(
      "import os\nprint(os.getcwd())\nos.chdir('/')\nfrom hermes_tools import terminal\n"
      "print(terminal('pwd; echo $A')['output'].strip())");
  if (co_await is_refused(trial, answer)) co_return;
  const std::string& here = trial.directory();
  trial.field(answer, "output", here + "\n" + here + "\n1\n");
  const json::object after = co_await trial.agent().terminal({{"command", "pwd; echo $A"}});
  trial.equal("the session afterwards", text_field(after, "output"), here + "\n1");
}

Task<void> is_ended_by_a_cancel(Trial& trial) {
  if (!co_await has_python(trial)) {
    expect_no_python_error(trial, co_await trial.agent().script("print(1)"));
    co_return;
  }
  const Cancel cancel;
  const std::string file = trial.directory() + "/pid";
  std::vector<Task<json::object>> both;
  both.push_back(trial.agent().script(
      "import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
      "print('begun', flush=True)\nopen('" +
          file +
          "', 'w').write(str(os.getpid()) + '\\n')\n"
          "time.sleep(300)",
      cancel));
  const auto give_up = [](Agent agent, Cancel what, std::string sign) -> Task<json::object> {
    json::object seen = co_await agent.command("for i in $(seq 1 400); do [ -s " + sign +
                                               " ] && break; sleep 0.05; done; echo seen");
    what.cancel();
    co_return seen;
  };
  both.push_back(give_up(trial.agent().with_task("other"), cancel, file));
  const auto answers = co_await together(std::move(both));
  trial.equal("status", text_field(answers[0], "status"), "interrupted");
  trial.contains("output", text_field(answers[0], "output"), "begun");
  const std::string look = "[ -s pid ] && " + is_gone("$(cat pid)") + " && echo gone";
  co_await trial.shows("the script, right after the answer", look, "gone");
}

Task<void> has_no_secret(Trial& trial) {
  co_await trial.agent().terminal({{"command", "export MY_API_KEY=x FOO=y LC_TIME=C"}});
  const json::object answer = co_await trial.agent().script(
      "import os\nprint([n for n in ('MY_API_KEY', 'FOO', 'LC_TIME', 'PATH', 'TALARIA_SCRIPT') "
      "if n in os.environ])");
  if (!co_await has_python(trial)) {
    expect_no_python_error(trial, answer);
    co_return;
  }
  trial.equal("variables it has", text_field(answer, "output"), "['LC_TIME', 'PATH']\n");
}

}  // namespace

std::vector<CheckCase> script_cases() {
  std::vector<CheckCase> cases;
  for (const Script& row : kScripts) {
    cases.push_back(
        {"script", row.name, Ability::scripts, [&row](Trial& trial) { return runs(trial, row); }});
  }
  cases.push_back({"script", "spares-the-session", Ability::scripts, spares_the_session});
  cases.push_back({"script", "is-ended-by-a-cancel", Ability::scripts, is_ended_by_a_cancel});
  cases.push_back({"script", "has-no-secret", Ability::scripts, has_no_secret});
  return cases;
}

}  // namespace talaria::front::check
