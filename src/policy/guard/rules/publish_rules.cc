// What others see at once and what cannot be taken back.
#include "policy/guard/rules/rule.h"

namespace talaria::guard {
namespace {

bool publishes(const Arguments& arguments) {
  return !arguments.has("--dry-run|-n|--help|--snapshot|--skip-publish|--skip=publish");
}

bool sends_message(const Arguments& arguments) {
  return arguments.command.words.size() > 1 && !arguments.has("--help|--version|-V|-v|-H|-e|-q") &&
         !among(arguments.verb(0), "receive listAccounts timeline notifications whoami");
}

bool deletes_by_api(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (among(command.word(i), "-X --method") && lower_case(command.word(i + 1)) == "delete")
      return true;
    if (among(lower_case(command.word(i)), "-xdelete --method=delete")) return true;
  }
  return false;
}

constexpr auto kPublishRules = only_ours(std::to_array<Rule>({
    {.key = "publish a package",
     .programs = "npm yarn pnpm cargo poetry uv flit hatch gem lerna vsce ovsx pod dart flutter "
                 "mix bun deno jsr rye pdm",
     .verbs = "publish|unpublish|push|yank|deprecate",
     .when = publishes,
     .yes = {"npm publish", "cargo publish", "gem push x.gem", "npm unpublish x"},
     .no = {"npm run build", "cargo build", "cargo publish --dry-run"}},
    {.key = "publish a package",
     .programs = "npm",
     .verbs = "dist-tag|owner|access|token|profile add|rm|set|revoke|remove",
     .yes = {"npm owner rm alice pkg", "npm dist-tag add x@1 latest"},
     .no = {"npm owner ls pkg"}},
    {.key = "publish a package",
     .programs = "yarn",
     .verbs = "npm publish",
     .yes = {"yarn npm publish"},
     .no = {"yarn install"}},
    {.key = "publish a package",
     .programs = "npm cargo pod mix dart flutter gem conda anaconda luarocks cpan",
     .when =
         [](const Arguments& a) {
           return publishes(a) &&
                  (a.begins("access|owner|hook|team|org|deprecate") ||
                   a.begins("trunk push|delete|deprecate") ||
                   a.begins("hex.publish|hex.retire|hex.owner") || a.begins("pub publish|upload") ||
                   a.begins("upload")) &&
                  !among(a.verb(1), "ls list get");
         },
     .yes = {"npm access public x", "cargo owner --add m c", "pod trunk push x", "mix hex.publish",
             "dart pub publish"},
     .no = {"npm owner ls x", "cargo build", "pod install", "mix deps.get", "dart pub get"}},
    {.key = "publish a package",
     .programs = "twine",
     .verbs = "upload",
     .yes = {"twine upload dist/*"},
     .no = {"twine check dist/*"}},
    {.key = "publish a package",
     .programs = "python python3 mvn gradle gradlew dotnet nuget goreleaser helm semantic-release",
     .when =
         [](const Arguments& a) {
           if (!publishes(a)) return false;
           if (a.command.program == "semantic-release") return true;
           return (a.begins("setup.py") && a.any_operand([](const SeenWord& w) {
                    return among(w.text, "upload register");
                  })) ||
                  a.begins("twine upload") || a.begins("deploy") || a.begins("publish") ||
                  a.begins("nuget push") || a.begins("push") ||
                  (a.begins("release") && a.command.program == "goreleaser");
         },
     .yes = {"mvn deploy", "./gradlew publish", "dotnet nuget push x",
             "python -m twine upload dist/*"},
     .no = {"mvn test", "./gradlew build", "dotnet build"}},
    {.key = "message sent in the person's name",
     .programs = "mail mailx mutt neomutt sendmail swaks msmtp s-nail slackcat telegram-send "
                 "telegram-cli signal-cli matrix-commander toot twurl wall mpack slack",
     .when = sends_message,
     .yes = {"echo hi | mail -s x a@h.example", "slackcat --channel general x.txt",
             "mutt -s x a@h.example < m.txt"},
     .no = {"mail --version", "mutt -v", "mail -H"}},
    {.key = "message sent in the person's name",
     .programs = "git",
     .verbs = "send-email",
     .when = publishes,
     .yes = {"git send-email *.patch"},
     .no = {"git send-email --dry-run *.patch", "git format-patch -1"}},
    {.key = "push an image",
     .programs = "docker podman nerdctl buildah",
     .verbs = "push",
     .yes = {"docker push me/x"},
     .no = {"docker pull x", "docker build ."}},
    {.key = "push an image",
     .programs = "skopeo crane oras",
     .verbs = "delete|push",
     .yes = {"crane delete x"},
     .no = {"skopeo inspect x"}},
    {.key = "delete or publish at a forge (gh/glab)",
     .programs = "gh glab",
     .verbs = "repo|release|issue|gist|secret|variable|run|cache|label|ssh-key|gpg-key|codespace|"
              "project|workflow|environment "
              "delete|archive|remove|disable|rename",
     .yes = {"gh repo delete me/x --yes", "gh release delete v1", "gh secret delete X"},
     .no = {"gh pr list", "gh repo view", "gh issue create -t x -b y"}},
    {.key = "delete or publish at a forge (gh/glab)",
     .programs = "gh glab",
     .verbs = "release create|upload",
     .yes = {"gh release create v1"},
     .no = {"gh release list"}},
    {.key = "delete or publish at a forge (gh/glab)",
     .programs = "gh glab",
     .verbs = "api",
     .when = deletes_by_api,
     .yes = {"gh api -X DELETE /repos/me/x"},
     .no = {"gh api /repos/me/x"}},
    {.key = "delete or publish at a forge (gh/glab)",
     .programs = "gh glab",
     .verbs = "pr|mr merge",
     .flags = "--admin",
     .yes = {"gh pr merge 1 --admin"},
     .no = {"gh pr view 1"}},
}));

}  // namespace

std::span<const Rule> publish_rules() { return kPublishRules; }

}  // namespace talaria::guard
