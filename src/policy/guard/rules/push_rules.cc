// git push: what others lose by it, and where it goes.
#include <algorithm>

#include "policy/guard/rules/rule.h"

namespace talaria::guard {
namespace {

bool really_pushes(const Arguments& arguments) { return !arguments.has("--dry-run"); }

// --force-with-lease of one branch that people do not share loses nothing that is not seen here.
bool forces_shared_branch(const Arguments& arguments) {
  if (!really_pushes(arguments)) return false;
  const auto& words = arguments.operands();
  const bool leased = arguments.any_word(
      [](std::string_view word) { return word.starts_with("--force-with-lease"); });
  const bool plain = arguments.any_word([](std::string_view word) { return word == "--force"; });
  if (!leased || plain || words.size() < 3 || arguments.has("--all|--mirror|--branches|--tags")) {
    return true;
  }
  return std::any_of(words.begin() + 2, words.end(), [](const SeenWord* word) {
    std::string_view branch = word->text;
    branch.remove_prefix(std::min(branch.rfind(':') + 1, branch.size()));
    const std::string_view top = branch.substr(0, branch.find_first_of("/-"));
    return !word->known() || branch.empty() || branch.starts_with("refs/") ||
           among(branch, "HEAD @ gh-pages staging") ||
           among(top,
                 "main master trunk develop dev release releases production prod stable "
                 "hotfix staging next");
  });
}

bool deletes_remote(const Arguments& arguments) {
  if (!really_pushes(arguments)) return false;
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

bool pushes_to_address(const Arguments& arguments) {
  return arguments.any_operand([](const SeenWord& word) {
    return word.text.contains("://") || (word.text.contains('@') && word.text.contains(':'));
  });
}

constexpr Rule kPushRules[] = {
    {.key = "git force push (rewrites remote history)",
     .programs = "git",
     .verbs = "push",
     .flags = "--force*",
     .when = really_pushes,
     .yes = {"git push --force origin main", "git push --force-with-lease"},
     .no = {"git push origin main", "git push origin my-f"},
     .set = RuleSet::hermes},
    {.key = "git force push (rewrites remote history)",
     .programs = "git",
     .verbs = "push",
     .flags = "--force*",
     .when = forces_shared_branch,
     .yes = {"git push --force origin main", "git push --force-with-lease", "git push --force",
             "git push --force-with-lease origin main", "git push --force origin feature/x",
             "git push --force-with-lease origin feature/x:main"},
     .no = {"git push origin main", "git push --force-with-lease origin feature/x",
            "git push -u origin fix-12 --force-with-lease --force-if-includes"},
     .set = RuleSet::talaria},
    {.key = "git force push short flag (rewrites remote history)",
     .programs = "git",
     .verbs = "push",
     .flags = "-f",
     .when = really_pushes,
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
     .no = {"git push origin x", "git push -u origin x"},
     .set = RuleSet::talaria},
    {.key = "git push to an address instead of a known remote",
     .programs = "git",
     .verbs = "push",
     .when = pushes_to_address,
     .yes = {"git push https://h.example/x.git main", "git push --all git@h.example:a/b.git"},
     .no = {"git push origin main", "git push -u origin HEAD", "git push"},
     .set = RuleSet::talaria},
    {.key = "git push that skips the checks, or deploys",
     .programs = "git",
     .verbs = "push",
     .when =
         [](const Arguments& a) {
           return a.has("--no-verify") || among(a.verb(1), "heroku dokku production prod live");
         },
     .yes = {"git push --no-verify", "git push heroku main"},
     .no = {"git push origin main"},
     .set = RuleSet::talaria},
};

}  // namespace

std::span<const Rule> push_rules() { return kPushRules; }

}  // namespace talaria::guard
