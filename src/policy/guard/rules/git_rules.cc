// git: what loses work that is nowhere else, here or for others.
#include <algorithm>

#include "policy/guard/rules/rule.h"
#include "policy/guard/run/inner.h"

namespace talaria {
namespace {

bool cleans(const Arguments& arguments) { return !arguments.has("-n|--dry-run"); }

bool discards_everything(const Arguments& arguments) {
  const auto& words = arguments.operands();
  const bool all = std::any_of(words.begin() + 1, words.end(), [](const SeenWord* word) {
    return among(word->text, ". :/ * ./") || word->text == ":/.";
  });
  if (arguments.verb(0) == "restore")
    return all && (!arguments.has("--staged|-S") || arguments.has("--worktree|-W"));
  return all || arguments.has("-f|--force");
}

bool deletes_remote(const Arguments& arguments) {
  if (arguments.has("--delete|-d|--mirror|--prune")) return true;
  const auto& words = arguments.operands();
  return std::any_of(words.begin() + 1, words.end(), [](const SeenWord* word) {
    return word->text.size() > 1 && word->text.starts_with(':');
  });
}

bool forces_by_ref(const Arguments& arguments) {
  const auto& words = arguments.operands();
  return std::any_of(words.begin() + 1, words.end(),
                     [](const SeenWord* word) { return word->text.starts_with('+'); });
}

bool runs_shell_alias(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    return word.starts_with("core.pager=") || word.starts_with("core.editor=") ||
           word.starts_with("core.sshCommand=") || word.starts_with("core.fsmonitor=") ||
           (word.starts_with("alias.") && word.contains("=!"));
  });
}

// More than a program with its options.
bool is_shell_text(std::string_view value) {
  const std::string_view program = base_name(value.substr(0, value.find(' ')));
  return value.find_first_of(";|&$`<>()\n") != std::string_view::npos || is_shell(program);
}

bool sets_shell_alias(const Arguments& arguments) {
  if (arguments.any_word([](std::string_view word) { return word.starts_with('!'); })) return true;
  if (arguments.operands().size() < 3) return false;
  if (among(arguments.verb(1), "core.sshCommand core.fsmonitor core.gitProxy")) return true;
  return among(arguments.verb(1),
               "core.pager core.editor core.askPass sequence.editor diff.external") &&
         is_shell_text(arguments.verb(2));
}

bool verb_unknown(const Arguments& arguments) {
  return arguments.verb(0) == std::string_view(&kUnknownPiece, 1);
}

constexpr Rule kRules[] = {
    {.key = "sub-command is not known",
     .rule_class = RuleClass::unclear,
     .programs = "git docker kubectl systemctl helm terraform aws gh",
     .when = verb_unknown,
     .yes = {"git $x", "systemctl \"$action\" nginx"},
     .no = {"git -C \"$d\" status", "git log $x", "docker ps $x"}},
    {.key = "git reset --hard (destroys uncommitted changes)",
     .programs = "git",
     .verbs = "reset",
     .flags = "--hard",
     .yes = {"git reset --hard HEAD~3", "git -C d reset --hard", "git reset HEAD --hard"},
     .no = {"git reset --soft HEAD", "git reset HEAD x"}},
    {.key = "git force push (rewrites remote history)",
     .programs = "git",
     .verbs = "push",
     .flags = "--force*",
     .yes = {"git push --force origin main", "git push --force-with-lease"},
     .no = {"git push origin main", "git push origin my-f"}},
    {.key = "git force push short flag (rewrites remote history)",
     .programs = "git",
     .verbs = "push",
     .flags = "-f",
     .yes = {"git push -f", "git push origin main -f"},
     .no = {"git push origin feature-foo", "git push --follow-tags"}},
    {.key = "git force push (rewrites remote history)",
     .programs = "git",
     .verbs = "push",
     .when = forces_by_ref,
     .yes = {"git push origin +main"},
     .no = {"git push origin main:dev"}},
    {.key = "git push deletes remote branches or tags",
     .programs = "git",
     .verbs = "push",
     .when = deletes_remote,
     .yes = {"git push origin --delete x", "git push origin :x", "git push --mirror"},
     .no = {"git push origin x", "git push -u origin x"}},
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
     .no = {"git branch --list", "git branch new"}},
    {.key = "git checkout/restore discards changes",
     .programs = "git",
     .verbs = "checkout|restore|switch",
     .when = discards_everything,
     .yes = {"git checkout -- .", "git checkout .", "git restore .", "git checkout -f main"},
     .no = {"git checkout main", "git checkout -b x", "git restore --staged .",
            "git checkout -- a.c", "git switch main"}},
    {.key = "git stash drop/clear (deletes stashed changes)",
     .programs = "git",
     .verbs = "stash drop|clear",
     .yes = {"git stash drop", "git stash clear"},
     .no = {"git stash", "git stash pop", "git stash list"}},
    {.key = "git rewrites history",
     .programs = "git",
     .verbs = "filter-branch|filter-repo|replace",
     .yes = {"git filter-branch --force x", "git filter-repo --path x"},
     .no = {"git log", "git rebase main"}},
    {.key = "git rewrites history",
     .programs = "bfg git-filter-repo",
     .yes = {"bfg --delete-files x"},
     .no = {"git log"}},
    {.key = "Subversion/Mercurial deletes",
     .programs = "svn",
     .verbs = "delete|del|remove|rm",
     .when =
         [](const Arguments& a) {
           return a.any_operand([](const SeenWord& word) { return word.text.contains("://"); });
         },
     .yes = {"svn delete http://h/x -m y"},
     .no = {"svn delete x", "svn status"}},
    {.key = "Subversion/Mercurial deletes",
     .programs = "hg",
     .verbs = "strip|purge|rollback",
     .yes = {"hg strip tip", "hg purge"},
     .no = {"hg status"}},
    {.key = "git deletes what could be recovered",
     .programs = "git",
     .verbs = "reflog expire|delete",
     .yes = {"git reflog expire --expire=now --all"},
     .no = {"git reflog"}},
    {.key = "git deletes what could be recovered",
     .programs = "git",
     .verbs = "gc|prune",
     .flags = "--prune=now|--prune=all|--expire|--force",
     .yes = {"git gc --prune=now"},
     .no = {"git gc", "git remote prune origin"}},
    {.key = "git ref delete",
     .programs = "git",
     .verbs = "update-ref",
     .flags = "-d|--delete",
     .yes = {"git update-ref -d HEAD"},
     .no = {"git update-ref refs/x HEAD"}},
    {.key = "git worktree remove with force",
     .programs = "git",
     .verbs = "worktree remove",
     .flags = "-f|--force",
     .yes = {"git worktree remove --force ../x"},
     .no = {"git worktree remove ../x", "git worktree list"}},
    {.key = "git submodule deinit with force",
     .programs = "git",
     .verbs = "submodule deinit",
     .flags = "-f|--force|--all",
     .yes = {"git submodule deinit -f --all"},
     .no = {"git submodule update --init"}},
    {.key = "git configuration that runs commands",
     .programs = "git",
     .when = runs_shell_alias,
     .yes = {"git -c alias.x='!rm -rf .' x", "git -c core.sshCommand='sh -c x' fetch"},
     .no = {"git -c user.name=x commit -m y"}},
    {.key = "git configuration that runs commands",
     .programs = "git",
     .verbs = "config",
     .when = sets_shell_alias,
     .yes = {"git config alias.x '!rm -rf .'", "git config core.sshCommand 'sh x'",
             "git config --global core.pager 'sh -c x'"},
     .no = {"git config user.name x", "git config --list", "git config core.hooksPath .githooks",
            "git config --global core.pager 'less -FRX'", "git config core.editor"}},
};

}  // namespace

std::span<const Rule> git_rules() { return kRules; }

}  // namespace talaria
