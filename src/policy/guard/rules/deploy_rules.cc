// Tools that change many machines, or what others see, in one go.
#include <algorithm>

#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/verbs.h"
#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

bool really(const Arguments& arguments) { return !only_rehearses(arguments); }

bool for_production(const Arguments& arguments) {
  return really(arguments) && (arguments.has("--prod|--production|-p|--target=production") ||
                               arguments.any_operand([](const SeenWord& word) {
                                 return among(word.text, "production promote rollback");
                               }));
}

// ansible HOSTS -m ping: modules that only look
bool ansible_changes(const Arguments& arguments) {
  if (!really(arguments) || arguments.has("-C")) return false;
  const auto modules = option_values(arguments.command, 'm', "module-name");
  if (modules.empty()) return false;  // a command, which is judged
  return std::ranges::none_of(modules, [](const SeenWord& word) {
    const std::string_view name = word.text;
    return among(name.substr(name.find_last_of('.') + 1),
                 "ping setup debug stat find gather_facts slurp getent service_facts "
                 "package_facts win_ping wait_for assert shell command raw script");  // judged
  });
}

bool pushes_image(const Arguments& arguments) {
  return arguments.begins("buildx|build|compose") && arguments.has("--push|--output=type=registry");
}

// Names of targets that deliver what was built.
bool runs_release_target(const Arguments& arguments) {
  return arguments.any_operand([](const SeenWord& word) {
    const std::string text = lower_case(word.text);
    return text.starts_with("publish") || text.starts_with("upload") || text == "release" ||
           text.ends_with(":publish") || text.starts_with("publishto") || text == "deploy" ||
           text.starts_with("release:") || text == "sonatyperelease" || text == "bintrayupload" ||
           text == "closeandreleaserepository";
  });
}

constexpr auto kDeployRules = only_ours(std::to_array<Rule>({
    {.key = "deployment to production",
     .programs = "vercel now netlify ntl eas expo surge render gatsby amplify",
     .when = for_production,
     .yes = {"vercel --prod --yes", "netlify deploy --prod --dir=dist", "vercel promote x"},
     .no = {"vercel dev", "netlify deploy", "vercel --version"}},
    {.key = "deployment to production",
     .programs = "vercel",
     .verbs = "env|domains|dns|certs|secrets|alias|remove|rm|project|teams|rollback",
     .when = [](const Arguments& a) { return !among(a.verb(1), "ls list pull inspect"); },
     .yes = {"vercel env add X production", "vercel domains add x"},
     .no = {"vercel env ls", "vercel env pull"}},
    {.key = "deployment to production",
     .programs =
         "fastlane eas expo cap capistrano deployer dep kamal mina shipit pm2 gcx modal gh-pages "
         "surge sst dokku caprover clever scalingo platform zeet",
     .verbs = "deliver|release|submit|deploy|supply|upload_to_app_store|pilot|beta|update|"
              "production|rollback|remove|publish|setup|redeploy",
     .when = really,
     .yes = {"fastlane deliver --force", "eas submit -p ios", "kamal deploy", "sst deploy"},
     .no = {"fastlane lanes", "eas build:list", "kamal version"}},
    {.key = "deployment to production",
     .programs = "cdk cdktf sls serverless sam wrangler pulumi copilot firebase fly "
                 "flyctl railway",
     .verbs = "deploy|up|publish|destroy|import|refresh|cancel|remove|rollback|watch",
     .when = really,
     .yes = {"cdk deploy --all", "sam deploy", "wrangler deploy", "fly deploy", "pulumi refresh"},
     .no = {"cdk synth", "sam build", "wrangler dev", "pulumi preview", "cdk diff"}},
    {.key = "terraform apply without asking",
     .programs = "terraform tofu terragrunt",
     .verbs = "apply|import|taint|untaint|force-unlock|refresh|run-all",
     .when =
         [](const Arguments& a) {
           return really(a) && (a.verb(0) != "run-all" || among(a.verb(1), "apply destroy"));
         },
     .yes = {"terraform apply", "tofu apply -replace=x.y", "terraform apply tf.plan",
             "terraform force-unlock -force 3d", "terraform import a.b c"},
     .no = {"terraform plan -out=x", "terraform init", "terraform validate",
            "terragrunt run-all plan"}},
    {.key = "terraform state/workspace removal",
     .programs = "terraform tofu",
     .verbs = "state mv|replace-provider",
     .yes = {"terraform state mv a b"},
     .no = {"terraform state list", "terraform state show x"}},
    {.key = "change of many machines",
     .programs = "ansible-playbook ansible-pull",
     .when = [](const Arguments& a) { return really(a) && !a.has("-C") && has_operand(a); },
     .yes = {"ansible-playbook -i hosts.ini site.yml --become"},
     .no = {"ansible-playbook site.yml --check --diff", "ansible-playbook --syntax-check site.yml",
            "ansible-playbook site.yml --list-tasks"}},
    {.key = "change of many machines",
     .programs = "ansible",
     .when = ansible_changes,
     .yes = {"ansible web -m apt -a 'name=x state=latest'",
             "ansible web -m service -a 'name=x state=stopped'"},
     .no = {"ansible all -m ping", "ansible all -m setup", "ansible --version"}},
    {.key = "change of many machines",
     .programs = "bolt salt-run mco func rex pyinfra",
     .verbs = "command|script|plan|task|state.orchestrate|apply|file|rpc",
     .when = really,
     .yes = {"bolt command run 'reboot' -t all", "salt-run state.orchestrate x"},
     .no = {"bolt inventory show", "salt-run jobs.list_jobs"}},
    {.key = "change of many machines",
     .programs = "puppet",
     .verbs = "apply|agent",
     .when = really,
     .yes = {"puppet apply site.pp", "puppet agent --test"},
     .no = {"puppet agent --test --noop", "puppet parser validate x.pp"}},
    {.key = "change of many machines",
     .programs = "chef-client chef-solo nixos-rebuild home-manager darwin-rebuild guix-deploy "
                 "colmena morph nixops",
     .when =
         [](const Arguments& a) {
           const bool chef = a.command.program.starts_with("chef-");
           return really(a) && !a.has("-W|--why-run") &&
                  (chef || among(a.verb(0),
                                 "switch boot apply deploy expire-generations "
                                 "remove-generations destroy"));
         },
     .yes = {"chef-client -z -r 'recipe[base]'", "sudo nixos-rebuild switch",
             "home-manager switch"},
     .no = {"chef-client --why-run", "nixos-rebuild build", "chef-client --version"}},
    {.key = "change of many machines",
     .programs = "salt salt-call salt-ssh",
     .when =
         [](const Arguments& a) {
           return really(a) && a.any_operand([](const SeenWord& word) {
             const std::string_view name = word.text;
             return name.starts_with("state.") || name.starts_with("pkg.install") ||
                    name.starts_with("service.") || name.starts_with("user.") ||
                    name.starts_with("file.write") || name.starts_with("cp.");
           });
         },
     .yes = {"salt-call state.apply", "salt '*' pkg.install x", "salt web service.stop nginx"},
     .no = {"salt '*' test.ping", "salt-call state.apply test=True"}},
    {.key = "push an image",
     .programs = "docker podman nerdctl",
     .when = pushes_image,
     .yes = {"docker buildx build --push -t a/b ."},
     .no = {"docker buildx build -t a/b .", "docker build ."}},
    {.key = "push an image",
     .programs = "skopeo crane oras regctl ko cosign",
     .verbs = "copy|cp|sync|tag|append|attach|mutate|push|image|publish|apply|sign|rebase",
     .when =
         [](const Arguments& a) { return a.verb(0) != "image" || among(a.verb(1), "copy delete"); },
     .yes = {"skopeo copy docker://a docker://b", "crane tag a b", "cosign sign a"},
     .no = {"skopeo inspect docker://a", "crane ls a", "cosign verify a"}},
    {.key = "push an image",
     .programs = "docker podman nerdctl",
     .verbs = "manifest|image|compose push",
     .yes = {"docker manifest push a/b", "docker image push a/b", "docker compose push"},
     .no = {"docker image ls", "docker manifest inspect a/b"}},
    {.key = "publish a package",
     .programs =
         "gradle gradlew mvn mvnw sbt mill lein rake bundle ant bazel hatch maturin flit conda "
         "anaconda cpan-upload dch dput luarocks hackage cabal stack opam-publish",
     .when = [](const Arguments& a) { return really(a) && runs_release_target(a); },
     .yes = {"./gradlew publishToMavenCentral", "maturin publish", "./mvnw deploy", "rake release",
             "cabal upload x.tar.gz", "luarocks upload x.rockspec"},
     .no = {"./gradlew build", "sbt test", "maturin build", "cabal build all"}},
    {.key = "publish a package",
     .programs =
         "npx npm pnpm yarn lerna changeset semantic-release release-it np nx auto standard-"
         "version bumpp",
     .when =
         [](const Arguments& a) {
           return really(a) && (a.any_operand([](const SeenWord& word) {
                    return among(word.text, "publish release-it semantic-release np unpublish");
                  }) || among(a.command.program, "release-it np"));
         },
     .yes = {"npx lerna publish patch --yes", "pnpm -r publish --no-git-checks", "npx release-it"},
     .no = {"npm run build", "npm publish --dry-run", "npx lerna run test"}},
}));

}  // namespace

std::span<const Rule> deploy_rules() { return kDeployRules; }

}  // namespace talaria::guard
