// Talaria and Hermes themselves: who is asked, where commands run, and what is written down of it.
#include <algorithm>

#include "policy/guard/rules/rule.h"

namespace talaria::guard {
namespace {

// Variables that decide whether a person is asked, and about which target.
constexpr std::string_view kAskingVariables =
    "HERMES_YOLO_MODE HERMES_EXEC_ASK HERMES_GATEWAY_SESSION HERMES_INTERACTIVE "
    "HERMES_CRON_SESSION "
    "HERMES_SESSION_KEY HERMES_SESSION_PLATFORM HERMES_WRITE_SAFE_ROOT "
    "HERMES_DISABLE_FILE_STATE_GUARD HERMES_REDACT_SECRETS HERMES_ALLOW_PRIVATE_URLS TALARIA_AUDIT "
    "TALARIA_APPROVALS_HEADLESS SUDO_PASSWORD";

// Those that only matter to Talaria and Hermes, or when they stay.
constexpr std::string_view kHomeVariables = "HERMES_HOME TALARIA_HOME HERMES_PROFILE";
// By which they find their home if nothing else says it.
constexpr std::string_view kUserVariables =
    "HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_RUNTIME_DIR";

bool leads_to_home(std::string_view name) {
  return among(name, kHomeVariables) || among(name, kUserVariables);
}

bool decides(std::string_view name) {
  if (name.starts_with("TERMINAL_")) return !among(name, "TERMINAL_CWD TERMINAL_TIMEOUT");
  return among(name, kAskingVariables) || name.starts_with("TALARIA_APPROVALS_");
}

std::string_view name_in(std::string_view word) { return word.substr(0, word.find('=')); }

bool is_agent(std::string_view program) { return among(program, "talaria hermes"); }

bool sets_for_it(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  return std::ranges::any_of(command.variables, [&](const SeenAssignment& one) {
    return decides(one.name) || (is_agent(command.program) && leads_to_home(one.name));
  });
}

bool sets_for_others(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    return decides(name_in(word)) || among(name_in(word), kHomeVariables);
  });
}

// env HERMES_YOLO_MODE=1 x; `env -i talaria …` takes them all away
bool runs_with_others(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  const bool agent =
      arguments.any_operand([](const SeenWord& word) { return is_agent(base_name(word.text)); });
  if (agent && arguments.has("-i|--ignore-environment|-")) return true;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    std::string_view word = command.word(i);
    if (word.starts_with("-u")) word.remove_prefix(2);
    if (word.starts_with("--unset=")) word.remove_prefix(8);
    const std::string_view name = name_in(word);
    if (decides(name) || (agent && leads_to_home(name))) return true;
  }
  return false;
}

// The switches of other agents that turn their questions off.
bool asks_nobody(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    const std::string_view option = word.substr(0, word.find('='));
    if (among(option,
              "--yolo --dangerously-skip-permissions --allow-dangerously-skip-permissions "
              "--dangerously-bypass-approvals-and-sandbox --yes-always --dangerously-allow-all")) {
      return true;
    }
    if (word.contains("bypassPermissions") || word.contains("danger-full-access")) return true;
    if (word == "-y" && among(command.program, "gemini qwen")) return true;
    if (word == "--force" && command.program == "cursor-agent") return true;
    if (option.starts_with("--allowed") &&
        (word.contains("Bash(*)") || command.word(i + 1).contains("Bash(*)")))
      return true;
  }
  return false;
}

bool names_own_file(const Arguments& arguments) {
  if (arguments.has("-readonly|--readonly")) return false;
  return arguments.any_operand([&](const SeenWord& word) {
    std::string_view path = word.text;
    if (path.starts_with("of=")) path.remove_prefix(3);
    return arguments.paths.is_hermes_config(arguments.resolved({std::string(path)}).text);
  });
}

bool sets_approvals(const Arguments& arguments) {
  return arguments.any_operand([](const SeenWord& word) {
    return word.text.starts_with("approvals") || word.text.starts_with("terminal.") ||
           word.text.starts_with("command_allowlist") || word.text.starts_with("security");
  });
}

constexpr Rule kOwnRules[] = {
    {.key = "answers a question that is put to a person",
     .programs = "talaria",
     .verbs = "approve|deny",
     .yes = {"talaria approve --all", "sudo talaria approve appr_1", "./build/talaria deny --all",
             "talaria approve --always appr_1"},
     .no = {"talaria approvals", "talaria audit --since 2h", "talaria help approve"}},
    {.key = "changes who is asked",
     .when = sets_for_it,
     .yes = {"HERMES_YOLO_MODE=1 talaria exec ls", "HERMES_YOLO_MODE=1", "TERMINAL_ENV=local x",
             "TALARIA_HOME=/tmp/x talaria exec ls", "TALARIA_APPROVALS_HEADLESS=allow make",
             "HOME=$PWD/h talaria exec ls"},
     .no = {"FOO=1 talaria exec ls", "TERMINAL_CWD=/x talaria exec ls", "HERMES_HOME=/tmp/x pytest",
            "echo HERMES_YOLO_MODE=1", "HOME=/tmp/x make", "HOME=/tmp/x npm ci"}},
    {.key = "changes who is asked",
     .programs = "export declare typeset readonly unset read",
     .when = sets_for_others,
     .yes = {"export HERMES_YOLO_MODE=1", "declare -x TERMINAL_ENV=local", "unset HERMES_EXEC_ASK",
             "export HERMES_HOME=/tmp/x"},
     .no = {"export TERMINAL_CWD=/x", "export PATH=$PATH:/x", "unset FOO"}},
    {.key = "changes who is asked",
     .programs = "env sudo systemd-run cross-env",
     .when = runs_with_others,
     .yes = {"env HERMES_YOLO_MODE=1 talaria exec ls", "env -u HERMES_GATEWAY_SESSION x",
             "env -i talaria exec ls", "sudo HERMES_YOLO_MODE=1 x",
             "env HOME=/tmp/x talaria exec ls"},
     .no = {"env -i make", "env HERMES_HOME=/tmp/x pytest"}},
    {.key = "changes who is asked",
     .programs = "hermes",
     .flags = "--yolo|--accept-hooks",
     .yes = {"hermes --yolo", "hermes chat --yolo"},
     .no = {"hermes chat", "hermes --version"}},
    {.key = "changes who is asked",
     .programs = "hermes talaria",
     .verbs = "config set|unset|edit|migrate",
     .when = sets_approvals,
     .yes = {"hermes config set approvals.mode off", "hermes config set terminal.backend local"},
     .no = {"hermes config set model x", "talaria config", "talaria config --all"}},
    {.key = "changes who is asked",
     .programs = "talaria",
     .verbs = "token add|limit|revoke",
     .yes = {"talaria token add ci", "talaria token add x --approve",
             "talaria token limit ci --rate 0"},
     .no = {"talaria token list", "talaria token --help"}},
    {.key = "changes who is asked",
     .programs = "talaria",
     .verbs = "grants confirm",
     .yes = {"talaria grants confirm grant_1"},
     .no = {"talaria grants list", "talaria grants revoke grant_1"}},
    {.key = "opens a server that runs commands, or has another program start one",
     .programs = "talaria",
     .verbs = "serve",
     .yes = {"talaria serve", "talaria serve --port 8000"},
     .no = {"talaria help serve"},
     .set = RuleSet::talaria},
    {.key = "opens a server that runs commands, or has another program start one",
     .programs = "talaria",
     .verbs = "mcp install",
     .when = [](const Arguments& a) { return !a.has("--dry-run"); },
     .yes = {"talaria mcp install cursor", "cp talaria ./t; ./t mcp install codex --user"},
     .no = {"talaria mcp", "talaria mcp install claude --dry-run"},
     .set = RuleSet::talaria},
    {.key = "changes what is set for a task, or ends what runs for others",
     .programs = "talaria",
     .verbs = "env override|rm",
     .when =
         [](const Arguments& a) {
           return a.verb(1) == "rm" || a.operands().size() > 3 || a.has("--clear");
         },
     .yes = {"talaria env override t backend=local", "talaria env rm --all"},
     .no = {"talaria env list", "talaria env show local", "talaria env override t"}},
    {.key = "changes what is set for a task, or ends what runs for others",
     .programs = "talaria",
     .verbs = "stop|kill",
     .flags = "--all|--force",
     .yes = {"talaria stop --all", "talaria kill --all"},
     .no = {"talaria kill proc_1", "talaria ps --all"}},
    {.key = "an agent that asks nobody",
     .programs = "claude codex gemini qwen aider cursor-agent opencode goose amp crush",
     .when = asks_nobody,
     .yes = {"claude --dangerously-skip-permissions -p x", "codex --yolo x", "gemini -y -p x",
             "codex exec --dangerously-bypass-approvals-and-sandbox x", "aider --yes-always -m x",
             "claude -p x --allowedTools 'Bash(*)'"},
     .no = {"claude -p 'explain x'", "codex exec x", "gemini -p x", "aider --message x",
            "claude --version", "claude mcp list"}},
    {.key = "change of Talaria's or Hermes' own files",
     .programs =
         "rm unlink shred srm wipe mv sqlite3 sqlite litecli duckdb dd truncate ln chmod chown "
         "chattr setfacl",
     .when = names_own_file,
     .yes = {"sqlite3 ~/.hermes/talaria/talaria.db 'delete from x where 1'",
             "rm ~/.hermes/talaria/audit/audit.jsonl", "dd if=x of=$HERMES_HOME/config.yaml",
             "mv ~/.hermes/config.yaml x", "cd ~/.hermes/talaria && rm talaria.db"},
     .no = {"sqlite3 app.db 'select 1'", "rm notes.txt", "cat ~/.hermes/talaria/audit/audit.jsonl",
            "sqlite3 -readonly talaria.db 'select 1'"}},
};

}  // namespace

std::span<const Rule> own_rules() { return kOwnRules; }

}  // namespace talaria::guard
