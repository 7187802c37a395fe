// Clusters, clouds and hosted services: whatever is not known to look only changes what others use.
#include <algorithm>

#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/verbs.h"
#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

// A client, and the words at which it does nothing that counts: it logs in, or works on this
// machine alone.
struct CloudClient {
  std::string_view programs;
  std::string_view free;
};
constexpr CloudClient kCloudClients[] = {
    {"gcloud", "auth config init info components builds topic emulators cp"},
    {"az azd", "login logout account configure extension bicep feedback find interactive"},
    {"kubectl oc k",
     "config auth completion plugin options kustomize proxy port-forward attach debug exec run "
     "explain api-resources api-versions cluster-info krew rollout"},
    {"helm", "repo dependency dep plugin create package registry env"},
    {"helmfile", "deps build write-values"},
    {"doctl hcloud linode-cli vultr-cli scw oci ibmcloud openstack exo upctl civo metal ionosctl "
     "yc "
     "aliyun tccli nova cinder cf",
     "auth account config kubeconfig ssh init context target api"},
    {"heroku", "local git:clone git:remote plugins autocomplete run"},
    {"fly flyctl", "auth ssh proxy dashboard doctor wireguard console"},
    {"netlify ntl", "dev link build open functions:serve functions:create init deploy"},
    {"firebase", "emulators:start emulators:exec emulators:export serve use init login:ci"},
    {"wrangler", "dev types init generate"},
    {"railway", "run shell link init connect"},
    {"supabase", "start stop gen init link functions:serve migration"},
    {"serverless sls", "offline package invoke create plugin"},
    {"sam", "local build package init"},
    {"eb amplify copilot chalice zappa", "open printenv init local run"},
    {"consul etcdctl", "agent join"},
    {"flux", "cancel job jobs submit run alloc"},  // of the other program of that name
    {"vault", "server agent"},
    {"eksctl kops", "utils"},
    {"gsutil", "cp rsync hash config"},
    {"mc s3cmd s5cmd b2", "cp mirror alias put sync ls get"},
    {"bq", "query ls show head extract"},
    {"talosctl", "cluster gen config kubeconfig dashboard"},
    {"pscale neonctl neon turso upstash atlas mongocli databricks snow astro prefect dagster",
     "dev shell connect auth config profile login"},
    {"stripe twilio sentry-cli sendgrid", "listen config login trigger fixtures samples"},
};

constexpr std::string_view kCloudPrograms =
    "gcloud az azd kubectl oc k helm helmfile doctl hcloud linode-cli vultr-cli scw oci ibmcloud "
    "openstack exo upctl civo metal ionosctl yc aliyun tccli nova cinder cf heroku fly flyctl "
    "netlify ntl firebase wrangler railway supabase serverless sls sam eb amplify copilot chalice "
    "zappa argocd flux velero istioctl linkerd cilium nomad consul etcdctl vault eksctl kops "
    "gsutil "
    "mc s3cmd s5cmd b2 bq pscale neonctl neon turso upstash atlas mongocli databricks snow astro "
    "prefect dagster stripe twilio sentry-cli sendgrid ntfy newrelic datadog-ci pd opsgenie ceph "
    "rbd gluster juju nomad-pack waypoint porter rancher talosctl k0sctl clusterctl scontrol "
    "sacctmgr";

std::string_view free_words(std::string_view program) {
  const auto* const found = std::ranges::find_if(
      kCloudClients, [&](const CloudClient& one) { return among(program, one.programs); });
  return found == std::end(kCloudClients) ? "" : found->free;
}

// A cluster that a developer has for trying things.
bool is_for_trying(std::string_view name) {
  for (const std::string_view mark : {"kind-", "minikube", "docker-desktop", "k3d-", "orbstack",
                                      "rancher-desktop", "colima", "microk8s"}) {
    if (name.contains(mark)) return true;
  }
  while (!name.empty()) {  // -n dev, overlays/dev, team-test
    const std::size_t end = std::min(name.find_first_of("/-_.="), name.size());
    if (among(name.substr(0, end), "dev development test testing local sandbox playground")) {
      return true;
    }
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

// Only of what is brought there: a deletion in `dev` loses what is in it.
bool tries_something(const Arguments& arguments) {
  if (!among(arguments.command.program, "kubectl oc k helm helmfile")) return false;
  if (!among(arguments.verb(0), "apply create upgrade install scale set label annotate sync")) {
    return false;
  }
  // they hold in all namespaces, whatever they are called
  constexpr std::string_view kOfAll = "clusterrolebinding clusterrole node nodes pv crd";
  if (among(arguments.verb(1), kOfAll)) return false;
  const auto live = [](std::string_view word) {
    return word.contains("prod") || word.contains("live") || word.contains("kube-system");
  };
  if (arguments.any_word(live)) return false;
  return arguments.any_word([](std::string_view word) {
    const bool setting = word.contains('=') && !word.starts_with("--");  // --set image.tag=dev
    return !word.contains("://") && !setting && is_for_trying(word);
  });
}

bool changes_cloud(const Arguments& arguments) {
  if (only_rehearses(arguments) || tries_something(arguments)) return false;
  return first_verb(arguments, free_words(arguments.command.program)) == VerbKind::changes;
}

bool from_network(std::string_view word) {
  return word.starts_with("http://") || word.starts_with("https://");
}

// aws SERVICE OPERATION: the operation says what it does
bool changes_aws(const Arguments& arguments) {
  const std::string_view service = arguments.verb(0);
  const std::string_view operation = arguments.verb(1);
  if (operation.empty() || only_rehearses(arguments)) return false;
  if (service == "configure") return operation == "set" || operation == "import";
  if (service == "s3") {
    return among(operation, "rm rb mv mb website") || arguments.any_word([](std::string_view word) {
      return among(word, "--delete public-read public-read-write --acl=public-read");
    });
  }
  if (among(operation,
            "invoke login logout assume-role update-kubeconfig start-query receive-message "
            "start-session")) {
    return false;
  }
  return verb_kind(operation) != VerbKind::looks && !operation.starts_with("assume-") &&
         !operation.starts_with("get-") && !operation.starts_with("decode-") &&
         !operation.starts_with("generate-") && service != "sso";
}

// kubectl cp x pod:/y
bool copies_into_container(const Arguments& arguments) {
  const auto& words = arguments.operands();
  return words.size() == 3 && words[0]->text == "cp" && words[2]->text.contains(':');
}

bool runs_privileged(const Arguments& arguments) {
  return arguments.has("--privileged") || arguments.any_word([](std::string_view word) {
    return word.contains("hostPID") || word.contains("privileged") || word.contains("hostPath") ||
           word.contains("hostNetwork");
  });
}

bool changes_contexts(const Arguments& arguments) {
  const std::string_view verb = arguments.verb(1);
  return verb.starts_with("delete-") || verb == "unset" || verb == "set-credentials" ||
         verb == "set-cluster";
}

// gh: what others see or lose. Pull requests and issues of one's own are the work itself.
constexpr std::string_view kForgeChanges[] = {
    "repo edit|rename|transfer|create|sync|set-default|deploy-key|archive|unarchive|delete",
    "release create|edit|upload|delete|delete-asset",
    "secret|variable set|delete|remove",
    "gist|snippet create|edit|delete|rename",
    "ssh-key|gpg-key|deploy-key add|delete",
    "workflow run|enable|disable",
    "pr|mr merge",
    "codespace create|delete|stop|rebuild",
    "org|ruleset|token|runner|extension|environment create|delete|edit|install|add|register",
    "auth logout|refresh",
    "cache|run|label|issue|project delete|clear|transfer|lock",
    "repository delete|create|archive|transfer",
};

bool changes_forge(const Arguments& arguments) {
  if (only_rehearses(arguments)) return false;
  const bool named = std::ranges::any_of(
      kForgeChanges, [&](std::string_view verbs) { return arguments.begins(verbs); });
  if (!named) return false;
  if (arguments.begins("repo create")) return arguments.has("--public|--push|--source|--internal");
  return !arguments.begins("repo set-default") && !arguments.begins("repo sync");
}

// gh api with a method, or fields, which make it a POST
bool calls_forge(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  for (const SeenWord& method : option_values(command, 'X', "method")) {
    return lower_case(method.text) != "get";
  }
  const bool query = arguments.any_word(
      [](std::string_view word) { return word == "graphql" || word.starts_with("query="); });
  if (query) {
    return arguments.any_word([](std::string_view word) { return word.contains("mutation"); });
  }
  return arguments.has("-f|-F|--field|--raw-field|--input");
}

// Programs whose words are names, texts or files, or whose sub-commands have rules of their own.
constexpr std::string_view kNamingPrograms =
    "echo printf grep egrep fgrep rg ag ack cat bat less more head tail ls ll tree find fd cd "
    "pushd "
    "mkdir touch cp mv rm ln chmod chown stat file wc sort uniq cut tr sed awk gawk diff cmp man "
    "info help which whereis type command hash test [ [[ export declare local set unset read "
    "return "
    "exit case for if while until source . eval exec trap alias unalias vim vi nvim nano emacs "
    "code "
    "open xdg-open git hg svn make gmake ninja cmake just task npm npx yarn pnpm bun node deno pip "
    "pip3 pipx uv poetry pdm conda mamba cargo rustup go python python3 python2 ruby perl php java "
    "mvn gradle sbt dotnet rails rake bundle gem composer mix pytest jest vitest tox nox bash sh "
    "zsh "
    "dash ksh fish sudo doas env nohup time timeout xargs parallel watch ssh scp docker podman "
    "kubectl "
    "systemctl service apropos whatis say look dict translate-shell jq yq curl wget http complete "
    "compgen tee basename dirname realpath readlink id getent pgrep pkill killall kill tmux screen "
    "brew apt apt-get dnf yum apk snap act tldr cheat howdoi cowsay figlet logger notify-send "
    "talaria hermes gh glab terraform psql mysql redis-cli sqlite3 mongosh asdf mise nvm pyenv "
    "rbenv coverage";

bool destroys_something(const Arguments& arguments) {
  constexpr std::string_view kStrong =
      "delete destroy purge wipe terminate erase shutdown reboot poweroff decommission unpublish "
      "revoke deregister undeploy teardown delete-all destroy-all remove-all factory-reset nuke";
  const auto strong = [&](std::string_view word) {
    return among(word.substr(word.find_last_of(':') + 1), kStrong) || word.starts_with("delete-") ||
           word.starts_with("destroy-") || word.starts_with("purge-");
  };
  if (!strong(arguments.verb(0)) && !strong(arguments.verb(1))) return false;
  const std::string& program = arguments.command.program;
  return !program.empty() && !among(program, kNamingPrograms) &&
         !arguments.command.word(0).contains('/') && !program.ends_with(".sh") &&
         !only_rehearses(arguments);
}

constexpr auto kCloudRules = only_ours(std::to_array<Rule>({
    {.key = "manifest from the network",
     .programs = "kubectl oc k helm kustomize docker podman",
     .when =
         [](const Arguments& a) {
           return a.begins("apply|create|replace|install|upgrade|delete|stack|play|kube") &&
                  a.any_word(from_network) && !a.has("--repo") && !only_rehearses(a);
         },
     .why = "applies what somebody else has put on the network",
     .yes = {"kubectl apply -f https://h.example/all.yaml", "kubectl create -f http://h/x.yaml"},
     .no = {"kubectl get -f https://h.example/all.yaml",
            "kubectl apply --dry-run=client -f https://h.example/all.yaml"}},
    {.key = "change of a cluster or cloud",
     .programs = kCloudPrograms,
     .when = changes_cloud,
     .yes = {"kubectl apply -f x.yaml", "helm upgrade --install api ./chart -n production",
             "kubectl create clusterrolebinding dev-admin --clusterrole=cluster-admin",
             "az vm stop -n x", "heroku config:set A=b", "talosctl reset --nodes 10.5.0.2"},
     .no = {"kubectl get pods", "kubectl apply -k overlays/dev", "helm template x",
            "gcloud run services list", "firebase emulators:start", "helm list"}},
    {.key = "change of a cluster or cloud",
     .programs = "aws",
     .when = changes_aws,
     .yes = {"aws ec2 start-instances --instance-ids i-1", "aws iam create-access-key",
             "aws s3 mb s3://b", "aws lambda update-function-code --function-name f",
             "aws configure set aws_secret_access_key x"},
     .no = {"aws s3 ls", "aws s3 cp a s3://b/a", "aws ec2 describe-instances",
            "aws sts get-caller-identity", "aws logs tail x",
            "aws ec2 terminate-instances --dry-run --instance-ids i-1"}},
    {.key = "change of a cluster or cloud",
     .programs = "kubectl oc k docker podman nerdctl",
     .when = copies_into_container,
     .yes = {"kubectl cp x pod:/y", "docker cp evil.sh web:/x"},
     .no = {"kubectl cp pod:/x ./x", "docker cp web:/app/dist ."}},
    {.key = "change of a cluster or cloud",
     .programs = "kubectl oc k",
     .verbs = "config",
     .when = changes_contexts,
     .yes = {"kubectl config delete-context prod", "kubectl config unset users.x"},
     .no = {"kubectl config use-context dev", "kubectl config view"}},
    {.key = "container with the rights of the host",
     .programs = "kubectl oc k",
     .verbs = "run|debug",
     .when = runs_privileged,
     .yes = {"kubectl run x --privileged --image=a",
             "kubectl run x --image=a --overrides="
             "'{\"spec\":{\"hostPID\":true}}'"},
     .no = {"kubectl run tmp --rm -it --image=busybox -- sh"}},
    {.key = "sub-command that destroys something",
     .when = destroys_something,
     .yes = {"hub delete x", "somectl vm destroy web-1", "upcloud server terminate x"},
     .no = {"echo delete", "somectl vm list", "grep delete x", "somectl vm destroy x --dry-run",
            "./tool delete x"}},
    {.key = "delete or publish at a forge (gh/glab)",
     .programs = "gh glab tea hub",
     .when = changes_forge,
     .yes = {"gh gist create x.txt", "gh pr merge 1 --squash", "gh secret set X",
             "gh repo edit --visibility public", "gh workflow run deploy.yml",
             "gh repo create x --public --source=. --push"},
     .no = {"gh pr create --fill", "gh pr list", "gh issue comment 1 -b x", "gh run rerun 1",
            "gh repo clone a/b", "gh pr create --dry-run"}},
    {.key = "delete or publish at a forge (gh/glab)",
     .programs = "gh glab",
     .verbs = "api",
     .when = calls_forge,
     .yes = {"gh api -X POST repos/a/b/issues", "gh api repos/a/b -f private=false",
             "gh api graphql -f query='mutation{x}'"},
     .no = {"gh api repos/a/b", "gh api graphql -f query='{ viewer { login } }'",
            "gh api --paginate repos/a/b/issues"}},
}));

}  // namespace

std::span<const Rule> cloud_rules() { return kCloudRules; }

}  // namespace talaria::guard
