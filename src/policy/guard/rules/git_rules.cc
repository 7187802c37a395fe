// git: what loses work that is nowhere else, here or for others.
#include <algorithm>

#include "policy/guard/rules/rule.h"
#include "policy/guard/run/inner.h"
#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

// Not where it is limited to build products: git clean -fdX -- build/
bool cleans(const Arguments& arguments) {
  const auto& words = arguments.operands();
  const bool only_products =
      words.size() > 1 && std::all_of(words.begin() + 1, words.end(), [&](const SeenWord* word) {
        return arguments.paths.is_disposable(word->text);
      });
  return !only_products && !arguments.has("-n|--dry-run");
}

bool discards_everything(const Arguments& arguments) {
  const auto& words = arguments.operands();
  const bool all = std::any_of(words.begin() + 1, words.end(), [](const SeenWord* word) {
    return among(word->text, ". :/ * ./") || word->text == ":/." || word->text.ends_with('/');
  });
  if (arguments.verb(0) == "restore")
    return all && (!arguments.has("--staged|-S") || arguments.has("--worktree|-W"));
  return all || arguments.has("-f|--force");
}

// alias.x=!command, core.pager='a; b'. What the others would run is judged like any command.
bool runs_shell_text(std::string_view key, std::string_view value) {
  if (lower_case(key).starts_with("alias.") || value.starts_with('!')) {
    return value.starts_with('!');
  }
  return is_run_setting(key) && is_shell_text(value);
}

bool is_hook(std::string_view key, std::string_view value) {
  return among(lower_case(key), "core.fsmonitor core.gitproxy uploadpack.packobjectshook") &&
         !among(value, "true false");
}

bool given_setting_runs(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    if (word.starts_with("--config=")) word.remove_prefix(9);
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || word.starts_with('-')) return false;
    const std::string key = lower_case(word.substr(0, equals));
    return runs_shell_text(key, word.substr(equals + 1)) || is_hook(key, word.substr(equals + 1)) ||
           (among(key, "protocol.ext.allow protocol.allow") && word.substr(equals + 1) == "always");
  });
}

// git config [--file x] [set] KEY VALUE
bool kept_setting_runs(const Arguments& arguments) {
  for (std::size_t i = 1; i + 1 < arguments.operands().size(); ++i) {
    const std::string_view key = arguments.verb(i);
    const std::string_view value = arguments.verb(i + 1);
    const std::string_view program = value.substr(0, value.find(' '));
    const bool own = is_run_setting(key) && program.contains('/') && !program.starts_with('/');
    if (key.contains('.') && (own || is_hook(key, value) || runs_shell_text(key, value)))
      return true;
  }
  return false;
}

// Where a project has its hooks: .husky, .githooks, tools/git-hooks.
bool is_usual_hooks_path(std::string_view path) {
  if (path.empty() || path == "/dev/null") return true;
  const bool outside = path.starts_with('/') || path.starts_with('~') || path.contains("..") ||
                       path.contains(kUnknownPiece);
  return !outside && (path.contains("hook") || path.contains("husky"));
}

// core.hooksPath=d, include.path=f: files that git runs or reads settings from.
bool leads_elsewhere(std::string_view key, std::string_view value) {
  const std::string name = lower_case(key);
  if (name == "core.hookspath") return !is_usual_hooks_path(value);
  if (name == "init.templatedir") return !value.empty();
  return (name == "include.path" || name.starts_with("includeif.")) &&
         (value.starts_with('/') || value.contains(kUnknownPiece));
}

bool uses_other_hooks(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    std::string_view word = command.word(i);
    if (word.starts_with("--config=")) word.remove_prefix(9);
    const std::size_t equals = word.find('=');
    const std::string_view value =
        equals != std::string_view::npos ? word.substr(equals + 1) : command.word(i + 1);
    const std::string_view name = word.substr(0, equals);
    if (name == "--exec-path" && equals != std::string_view::npos) return true;
    if (name == "--template" && among(arguments.verb(0), "init clone") && !value.empty()) {
      return true;
    }
    if (!name.starts_with('-') && leads_elsewhere(name, value)) return true;
  }
  return false;
}

// --config-env=alias.x=VARIABLE
bool setting_from_environment(const Arguments& arguments) {
  return arguments.has("--config-env") && arguments.any_word([](std::string_view word) {
    if (word.starts_with("--config-env=")) word.remove_prefix(13);
    const std::string key = lower_case(word.substr(0, word.find('=')));
    return word.contains('=') && (key.starts_with("alias.") || is_run_setting(key));
  });
}

// Other systems: work that is nowhere else
bool discards_elsewhere(const Arguments& arguments) {
  const std::string_view verb = arguments.verb(0);
  if (among(verb, "abandon obliterate strip uncommit prune")) return true;
  if (among(verb, "update up checkout co goto clean")) {
    return arguments.has("-C|--clean|--remove-unversioned");
  }
  return verb == "revert" && arguments.has("-R|--recursive|--all|-a");
}

// What is made for tests is no secret of anybody.
bool is_for_tests(std::string_view path) {
  while (!path.empty()) {
    if (among(next_word(path, '/'), "test tests testdata fixtures __tests__ spec examples mocks")) {
      return true;
    }
  }
  return false;
}

// git add .env, git commit -- config/credentials.json, git add -f .
bool records_secret(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  if (arguments.has("-n|--dry-run")) return false;
  const bool forced = arguments.has("-f|--force");
  bool value = false;
  for (const SeenWord* word : arguments.operands()) {
    const std::size_t at = static_cast<std::size_t>(word - command.words.data());
    value = at > 0 && command.word(at - 1).starts_with('-') &&
            (among(command.word(at - 1), "--message --author --date --file --fixup") ||
             (!command.word(at - 1).starts_with("--") && command.word(at - 1).ends_with('m')));
    std::string_view path = word->text;
    if (forced && among(path, ". ./ * :/")) return true;
    while (path.ends_with('*')) path.remove_suffix(1);  // .env*
    if (!value && !is_for_tests(path) &&
        (arguments.paths.is_private(path) || path.ends_with(".env."))) {
      return true;
    }
  }
  return forced && arguments.has("-A|--all");
}

// git branch -D, -f main: commits that no other branch has are lost
bool branch_loses_commits(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) { return word == "-D" || word == "-Df"; }) ||
         arguments.has("-f|--force");
}

// Of the settings that hold for every repository: who one is, whom one trusts.
bool changes_global_trust(const Arguments& arguments) {
  if (!arguments.has("--global|--system") ||
      arguments.has("--get*|--list|-l|--show-origin|--get-regexp")) {
    return false;
  }
  const bool unsets = arguments.has("--unset*|--remove-section|--rename-section|--replace-all|-e");
  return unsets || std::ranges::any_of(arguments.operands(), [&](const SeenWord* word) {
           if (arguments.verb(1) == "get" || arguments.operands().size() < 3) return false;
           const std::string key = lower_case(word->text);
           for (const std::string_view start :
                {"user.",          "credential.",    "http.",
                 "https.",         "url.",           "gpg.",
                 "commit.gpgsign", "core.hooks",     "core.sshcommand",
                 "core.gitproxy",  "protocol.",      "include",
                 "remote.",        "sendemail.",     "core.attributesfile",
                 "diff.external",  "core.fsmonitor", "filter.",
                 "ssh.",           "transfer.",      "fetch.fsck"}) {
             if (key.starts_with(start)) return true;
           }
           return false;
         });
}

// git --work-tree=$HOME add -A: everything there is taken for files of the repository.
bool works_elsewhere(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  const auto outside = [&](std::string_view text) {
    const std::string path = arguments.resolved({std::string(text)}).text;
    return text.starts_with(kUnknownPiece) || arguments.paths.is_foreign(path) ||
           arguments.paths.is_home({path}) || arguments.paths.is_root({path});
  };
  constexpr std::string_view kSetting = "core.worktree";
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    const std::string_view next = command.word(i + 1);
    if (word == "--work-tree" && outside(next)) return true;
    if (word.starts_with("--work-tree=") && outside(word.substr(12))) return true;
    const std::string name = lower_case(word.substr(0, word.find('=')));
    if (name != kSetting) continue;
    if (word.size() > name.size() ? outside(word.substr(name.size() + 1))
                                  : !next.empty() && outside(next)) {
      return true;
    }
  }
  return std::ranges::any_of(command.variables, [&](const SeenAssignment& one) {
    return one.name == "GIT_WORK_TREE" && outside(one.value.text);
  });
}

bool verb_unknown(const Arguments& arguments) {
  return arguments.verb(0) == std::string_view(&kUnknownPiece, 1);
}

constexpr Rule kGitRules[] = {
    {.key = "sub-command is not known",
     .rule_class = RuleClass::unclear,
     .programs = "git docker kubectl systemctl helm terraform aws gh",
     .when = verb_unknown,
     .yes = {"git $x", "systemctl \"$action\" nginx"},
     .no = {"git -C \"$d\" status", "git log $x", "docker ps $x"},
     .set = RuleSet::talaria},
    {.key = "git with another directory for its files",
     .programs = "git",
     .when = works_elsewhere,
     .yes = {"git --work-tree=$HOME add -A", "git --work-tree ~ stash -u",
             "git -c core.worktree=/ status", "git config core.worktree ~/notes"},
     .no = {"git --work-tree=. add -A", "git config core.worktree", "git -C sub status"},
     .set = RuleSet::talaria},
    {.key = "git reset --hard (destroys uncommitted changes)",
     .programs = "git",
     .verbs = "reset",
     .flags = "--hard",
     .yes = {"git reset --hard HEAD~3", "git -C d reset --hard", "git reset HEAD --hard",
             "git reset --har"},
     .no = {"git reset --soft HEAD", "git reset HEAD x"}},
    {.key = "git clean with force (deletes untracked files)",
     .programs = "git",
     .verbs = "clean",
     .flags = "-f|--force",
     .when = cleans,
     .yes = {"git clean -fd", "git clean --force", "git clean -fdx", "git clean -d -f"},
     .no = {"git clean -nd", "git clean -ndf"}},
    {.key = "git branch force delete",
     .programs = "git",
     .verbs = "branch",
     .flags = "-D|-d|--delete",
     .yes = {"git branch -D x", "git branch -d x"},
     .no = {"git branch --list", "git branch new"},
     .set = RuleSet::hermes},
    {.key = "git branch force delete",
     .programs = "git",
     .verbs = "branch",
     .when = branch_loses_commits,
     .yes = {"git branch -D x", "git branch --delete --force x", "git branch -f main HEAD~3"},
     .no = {"git branch -d x", "git branch --list", "git branch new", "git branch -M main"},
     .set = RuleSet::talaria},
    {.key = "git branch force delete",
     .programs = "git",
     .verbs = "checkout|switch",
     .when =
         [](const Arguments& a) {
           return a.any_word([](std::string_view w) { return among(w, "-B -C --force-create"); }) &&
                  a.any_word([](std::string_view w) {  // -C of `git` takes a value
                    return among(w, "main master develop trunk production release");
                  });
         },
     .yes = {"git checkout -B main origin/old", "git switch -C main"},
     .no = {"git checkout -B feature", "git switch -c x", "git checkout main"},
     .set = RuleSet::talaria},
    {.key = "git deletes a tag",
     .programs = "git",
     .verbs = "tag",
     .flags = "-d|--delete",
     .yes = {"git tag -d v1"},
     .no = {"git tag v1", "git tag -l 'v*'"},
     .set = RuleSet::talaria},
    {.key = "git remote changed",
     .programs = "git",
     .verbs = "remote set-url",
     .yes = {"git remote set-url origin git@h.example:a/b.git"},
     .no = {"git remote add origin x", "git remote -v", "git remote get-url origin"},
     .set = RuleSet::talaria},
    {.key = "git settings of the person",
     .programs = "git",
     .verbs = "config",
     .when = changes_global_trust,
     .why = "changes identity, credentials or trust in the person's own git settings",
     .yes = {"git config --global user.email a@b", "git config --global credential.helper store",
             "git config --global http.sslVerify false",
             "git config --global url.https://e/.insteadOf https://g/",
             "git config --global --unset-all user.signingkey"},
     .no = {"git config --global core.editor vim", "git config user.email a@b",
            "git config --global --get user.email", "git config --global alias.co checkout",
            "git config --global init.defaultBranch main"},
     .set = RuleSet::talaria},
    {.key = "secret put under version control",
     .programs = "git hg svn bzr brz jj fossil sl p4 cvs",
     .verbs = "add|stage|commit|ci|update-index|file",
     .when = records_secret,
     .why = "puts a file with keys or passwords where others will see it",
     .yes = {"git add -f .env", "git add src config/credentials.json", "git commit -m x -- .env",
             "hg add id_rsa", "svn add certs/server.pem", "git add -f ."},
     .no = {"git add .env.example", "git add .", "git commit -m 'remove .env'",
            "git add -f dist/a.js", "git rm --cached .env", "git add tests/fixtures/server.key"},
     .set = RuleSet::talaria},
    {.key = "git rewrites history",
     .programs = "git",
     .verbs = "rebase",
     .flags = "--root",
     .yes = {"git rebase -i --root"},
     .no = {"git rebase main"},
     .set = RuleSet::talaria},
    {.key = "git rewrites history",
     .programs = "git",
     .verbs = "lfs|annex|notes|subtree|svn|p4 prune|migrate|drop|dropunused|remove|dcommit|submit",
     .when = [](const Arguments& a) { return !a.has("--dry-run|-n"); },
     .yes = {"git lfs migrate import", "git annex drop x", "git svn dcommit"},
     .no = {"git lfs pull", "git lfs ls-files"},
     .set = RuleSet::talaria},
    {.key = "git checkout/restore discards changes",
     .programs = "git",
     .verbs = "checkout|restore|switch",
     .when = discards_everything,
     .yes = {"git checkout -- .", "git checkout .", "git restore .", "git checkout -f main"},
     .no = {"git checkout main", "git checkout -b x", "git restore --staged .",
            "git checkout -- a.c", "git switch main"},
     .set = RuleSet::talaria},
    {.key = "git checkout/restore discards changes",
     .programs = "git",
     .verbs = "switch",
     .flags = "--discard-changes",
     .yes = {"git switch --discard-changes main", "git switch --disc main"},
     .no = {"git switch main"},
     .set = RuleSet::talaria},
    {.key = "git checkout/restore discards changes",
     .programs = "git",
     .verbs = "checkout-index|read-tree",
     .flags = "-f|--force|--reset",
     .yes = {"git checkout-index -f -a", "git read-tree -u --reset HEAD"},
     .no = {"git read-tree HEAD"},
     .set = RuleSet::talaria},
    {.key = "git stash drop/clear (deletes stashed changes)",
     .programs = "git",
     .verbs = "stash drop|clear",
     .yes = {"git stash drop", "git stash clear"},
     .no = {"git stash", "git stash pop", "git stash list"},
     .set = RuleSet::talaria},
    {.key = "git rewrites history",
     .programs = "git",
     .verbs = "filter-branch|filter-repo|replace",
     .yes = {"git filter-branch --force x", "git filter-repo --path x"},
     .no = {"git log", "git rebase main"},
     .set = RuleSet::talaria},
    {.key = "git rewrites history",
     .programs = "bfg git-filter-repo",
     .yes = {"bfg --delete-files x"},
     .no = {"git log"},
     .set = RuleSet::talaria},
    {.key = "Subversion/Mercurial deletes",
     .programs = "svn",
     .verbs = "delete|del|remove|rm",
     .when =
         [](const Arguments& a) {
           return a.any_operand([](const SeenWord& word) { return word.text.contains("://"); });
         },
     .yes = {"svn delete http://h/x -m y"},
     .no = {"svn delete x", "svn status"},
     .set = RuleSet::talaria},
    {.key = "Subversion/Mercurial deletes",
     .programs = "hg svn jj bzr brz fossil p4 sl darcs pijul",
     .when = discards_elsewhere,
     .yes = {"hg update -C .", "svn revert -R .", "jj abandon @", "p4 obliterate //x",
             "hg revert --all"},
     .no = {"hg update tip", "svn update", "jj log", "svn revert a.c"},
     .set = RuleSet::talaria},
    {.key = "Subversion/Mercurial deletes",
     .programs = "hg",
     .verbs = "strip|purge|rollback",
     .yes = {"hg strip tip", "hg purge"},
     .no = {"hg status"},
     .set = RuleSet::talaria},
    {.key = "git deletes what could be recovered",
     .programs = "git",
     .verbs = "reflog expire|delete",
     .yes = {"git reflog expire --expire=now --all"},
     .no = {"git reflog"},
     .set = RuleSet::talaria},
    {.key = "git deletes what could be recovered",
     .programs = "git",
     .verbs = "gc|prune",
     .flags = "--prune=now|--prune=all|--expire|--force",
     .yes = {"git gc --prune=now"},
     .no = {"git gc", "git remote prune origin"},
     .set = RuleSet::talaria},
    {.key = "git ref delete",
     .programs = "git",
     .verbs = "update-ref",
     .flags = "-d|--delete",
     .yes = {"git update-ref -d HEAD"},
     .no = {"git update-ref refs/x HEAD"},
     .set = RuleSet::talaria},
    {.key = "git worktree remove with force",
     .programs = "git",
     .verbs = "worktree remove",
     .flags = "-f|--force",
     .yes = {"git worktree remove --force ../x"},
     .no = {"git worktree remove ../x", "git worktree list"},
     .set = RuleSet::talaria},
    {.key = "git submodule deinit with force",
     .programs = "git",
     .verbs = "submodule deinit",
     .flags = "-f|--force|--all",
     .yes = {"git submodule deinit -f --all"},
     .no = {"git submodule update --init"},
     .set = RuleSet::talaria},
    {.key = "git configuration that runs commands",
     .programs = "git",
     .when = given_setting_runs,
     .yes = {"git -c alias.x='!rm -rf .' x", "git -c core.sshCommand='sh -c x' fetch",
             "git -c CORE.PAGER='less; x' log", "git -c protocol.ext.allow=always fetch x",
             "git clone --config=diff.external='x | y' u"},
     .no = {"git -c user.name=x commit -m y", "git -c core.pager=cat log",
            "git -c core.sshCommand='ssh -i k' fetch", "git -c color.ui=always diff",
            "git -c protocol.file.allow=always submodule add ../x"},
     .set = RuleSet::talaria},
    {.key = "git with hooks, settings or programs from elsewhere",
     .programs = "git",
     .when = uses_other_hooks,
     .yes = {"git -c core.hooksPath=d commit", "git config core.hooksPath /tmp/h",
             "git init --template=d", "git clone --template d u", "git --exec-path=d status",
             "git config init.templateDir d"},
     .no = {"git -c core.hooksPath=/dev/null commit", "git config core.hooksPath .husky",
            "git init --template=", "git --exec-path", "git config --get core.hooksPath",
            "git config include.path ../.gitconfig"},
     .set = RuleSet::talaria},
    {.key = "git configuration that runs commands",
     .programs = "git",
     .when = setting_from_environment,
     .yes = {"git --config-env=alias.x=V x", "git --config-env core.pager=V log"},
     .no = {"git --config-env=http.extraHeader=H fetch"},
     .set = RuleSet::talaria},
    {.key = "git configuration that runs commands",
     .programs = "git",
     .verbs = "config",
     .when = kept_setting_runs,
     .yes = {"git config alias.x '!rm -rf .'", "git config core.sshCommand 'sh x'",
             "git config --global core.pager 'sh -c x'", "git config CREDENTIAL.helper '!x'",
             "git config core.fsmonitor ./x"},
     .no = {"git config user.name x", "git config --list", "git config core.hooksPath .githooks",
            "git config --global core.pager 'less -FRX'", "git config core.editor"},
     .set = RuleSet::talaria},
};

}  // namespace

std::span<const Rule> git_rules() { return kGitRules; }

}  // namespace talaria::guard
