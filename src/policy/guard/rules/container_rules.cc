// Containers, clusters and clouds: what stops or removes more than one thing of a person's own.
#include <algorithm>

#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/verbs.h"
#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

bool not_dry(const Arguments& arguments) { return !only_rehearses(arguments); }

// What a container sees of the host: where a volume comes from.
bool is_of_host(std::string_view source) {
  while (source.size() > 1 && source.ends_with('/')) source.remove_suffix(1);
  return among(source, "/ /etc /root /usr /boot /proc /sys /dev /var /home") ||
         source.ends_with("docker.sock") || source.ends_with("containerd.sock");
}

bool gives_the_host(const Arguments& arguments) {
  if (arguments.has("--privileged")) return true;
  const SeenCommand& command = arguments.command;
  const auto any = [&](char letter, std::string_view name, auto test) {
    return std::ranges::any_of(option_values(command, letter, name),
                               [&](const SeenWord& word) { return test(word.text); });
  };
  const auto shows_host = [&](std::string_view from) {
    const bool above = normalized_path(from).starts_with("..");  // more than the project
    return is_of_host(from) || above || arguments.paths.is_home({std::string(from)});
  };
  const auto mounts = [&](std::string_view text) {
    return shows_host(text.substr(0, text.find(':')));
  };
  const auto binds = [&](std::string_view text) {  // type=bind,source=/,target=/h
    while (!text.empty()) {
      const std::string_view part = next_word(text, ',');
      const std::string_view name = part.substr(0, part.find('='));
      if (among(name, "source src") && shows_host(part.substr(name.size() + 1))) return true;
    }
    return false;
  };
  const auto host = [](std::string_view text) { return text == "host"; };
  const auto rights = [](std::string_view text) {
    return among(text, "ALL SYS_ADMIN CAP_SYS_ADMIN SYS_MODULE SYS_RAWIO SYS_PTRACE all");
  };
  const auto unconfined = [](std::string_view text) { return text.contains("unconfined"); };
  const auto disk = [](std::string_view text) {
    return is_block_device(text.substr(0, text.find(':')));
  };
  return any('v', "volume", mounts) || any('\0', "mount", binds) || any('\0', "pid", host) ||
         any('\0', "userns", host) || any('\0', "cap-add", rights) ||
         any('\0', "security-opt", unconfined) || any('\0', "device", disk);
}

bool enters_the_host(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (among(command.word(i), "-t --target") && command.word(i + 1) == "1") return true;
    if (among(command.word(i), "-t1 --target=1")) return true;
  }
  return false;
}

bool removes_many(const Arguments& arguments) {
  const auto& produced = arguments.command.substituted;
  return std::ranges::any_of(
             produced,
             [](const std::string& program) { return among(program, "docker podman"); }) ||
         among("xargs", arguments.command.run_by);
}

// Some word, wherever it stands, is a verb that deletes.
bool deletes_in_cloud(const Arguments& arguments) {
  if (!not_dry(arguments)) return false;
  return arguments.any_operand([](const SeenWord& word) {
    const std::string_view text = word.text;
    // apps:destroy, delete-batch
    return among(text.substr(text.find(':') + 1),
                 "delete destroy remove purge rm rb terminate-instances disable") ||
           text.starts_with("delete-");
  });
}

bool aws_deletes(const Arguments& arguments) {
  if (!not_dry(arguments)) return false;
  if (arguments.begins("s3 rb")) return true;
  if (arguments.begins("s3 rm")) return true;
  if (arguments.begins("s3 sync")) return arguments.has("--delete");
  return arguments.verb(1).starts_with("delete-") || arguments.verb(1).starts_with("terminate-") ||
         arguments.verb(1).starts_with("deregister-") || arguments.verb(1).starts_with("purge-") ||
         arguments.verb(1) == "schedule-key-deletion" || arguments.verb(1) == "stop-instances" ||
         arguments.verb(1) == "batch-delete-image";
}

bool gsutil_deletes(const Arguments& arguments) {
  return among(arguments.verb(0), "rm rb") || (arguments.verb(0) == "rsync" && arguments.has("-d"));
}

bool applies_unasked(const Arguments& arguments) {
  return arguments.has(
             "-auto-approve|--auto-approve|-destroy|--auto-approve=true|-auto-approve=true") ||
         arguments.begins("run-all destroy") || arguments.begins("run destroy");
}

bool runs_as_host(const Arguments& arguments) {
  return (arguments.begins("run|create") || arguments.begins("container|compose run|create")) &&
         gives_the_host(arguments);
}

bool compose_removes_data(const Arguments& arguments) {
  const bool apart = among(arguments.command.program, "docker-compose podman-compose");
  if (!apart && arguments.verb(0) != "compose") return false;
  const std::string_view verb = arguments.verb(apart ? 0 : 1);
  const bool live = arguments.any_word([](std::string_view word) { return word.contains("prod"); });
  if (live && among(verb, "down rm stop kill restart pause")) return true;
  return among(verb, "down rm") && arguments.has("-v|--volumes|--rmi");
}

// rm -f ends what runs, rm -v takes its data along
bool removes_running(const Arguments& arguments) {
  return arguments.has("-f|--force|-v|--volumes|-fv|-vf") && arguments.operands().size() > 1;
}

bool uses_other_engine(const Arguments& arguments) {
  return !option_values(arguments.command, 'H', "host").empty() &&
         first_verb(arguments) == VerbKind::changes;
}

constexpr Rule kContainerRules[] = {
    {.key = "docker compose restart/stop/kill/down (container lifecycle)",
     .programs = "docker podman nerdctl",
     .verbs = "compose restart|stop|kill|down|rm",
     .yes = {"docker compose down", "docker compose -f x.yml down", "docker compose restart web"},
     .no = {"docker compose up", "docker compose ps"},
     .set = RuleSet::hermes},
    {.key = "docker compose restart/stop/kill/down (container lifecycle)",
     .programs = "docker-compose podman-compose",
     .verbs = "restart|stop|kill|down|rm",
     .yes = {"docker-compose down", "docker-compose -f x.yml down -v"},
     .no = {"docker-compose up -d"},
     .set = RuleSet::hermes},
    {.key = "docker compose restart/stop/kill/down (container lifecycle)",
     .programs = "docker podman nerdctl docker-compose podman-compose",
     .when = compose_removes_data,
     .why = "removes the data of a compose project",
     .yes = {"docker compose down -v", "docker-compose -f x.yml down --volumes",
             "docker compose rm -fsv", "docker compose -f prod.yml restart"},
     .no = {"docker compose down", "docker compose stop", "docker compose up -d",
            "docker compose restart web"},
     .set = RuleSet::talaria},
    {.key = "docker restart/stop/kill (container lifecycle)",
     .programs = "docker podman nerdctl",
     .verbs = "restart|stop|kill",
     .yes = {"docker stop web", "docker kill web", "podman stop web"},
     .no = {"docker ps", "docker logs web", "docker rm -f c"}},
    {.key = "docker restart/stop/kill (container lifecycle)",
     .programs = "docker podman nerdctl",
     .verbs = "container restart|stop|kill",
     .yes = {"docker container stop web"},
     .no = {"docker container ls"}},
    {.key = "docker removes a container that may be running",
     .programs = "docker podman nerdctl",
     .verbs = "rm",
     .when = removes_running,
     .yes = {"docker rm -f web", "docker rm -fv db", "podman rm --force x"},
     .no = {"docker rm web", "docker ps", "docker run --name x -d a && docker rm -f x"},
     .set = RuleSet::talaria},
    {.key = "docker removes a container that may be running",
     .programs = "docker podman nerdctl",
     .verbs = "container rm|remove",
     .when = [](const Arguments& a) { return a.has("-f|--force|-v|--volumes"); },
     .yes = {"docker container rm -f web"},
     .no = {"docker container rm web"},
     .set = RuleSet::talaria},
    {.key = "docker removes a container that may be running",
     .programs = "podman docker",
     .verbs =
         "pod|network|buildx|plugin|checkpoint|kube rm|remove|disconnect|down|disable|kill|stop",
     .yes = {"podman pod rm -f p", "docker network rm net", "podman kube down x.yaml"},
     .no = {"docker network ls", "podman pod ps"},
     .set = RuleSet::talaria},
    {.key = "docker restart/stop/kill (container lifecycle)",
     .programs = "docker podman",
     .when =
         [](const Arguments& a) {
           return a.begins("pause|update|rename|unpause") ||
                  a.begins("container pause|update|rename|unpause");
         },
     .yes = {"docker pause web", "docker update --memory 1g web"},
     .no = {"docker ps"},
     .set = RuleSet::talaria},
    {.key = "docker restart/stop/kill (container lifecycle)",
     .programs = "docker",
     .verbs = "context use|rm|update|import",
     .when = [](const Arguments& a) { return a.verb(2) != "default"; },
     .yes = {"docker context use prod"},
     .no = {"docker context ls", "docker context use default"},
     .set = RuleSet::talaria},
    {.key = "password on the command line",
     .programs = "docker podman nerdctl helm npm",
     .verbs = "login|registry",
     .flags = "-p|--password",
     .yes = {"docker login -u alice -p hunter2 h.example"},
     .no = {"docker login", "docker login -u a --password-stdin"},
     .set = RuleSet::talaria},
    {.key = "docker swarm/stack/service removal",
     .programs = "docker",
     .verbs =
         "stack|service|swarm|node deploy|update|scale|rollback|init|join|promote|demote|create",
     .yes = {"docker service update x", "docker stack deploy -c x.yml prod"},
     .no = {"docker service ls", "docker stack ps x"},
     .set = RuleSet::talaria},
    {.key = "docker at another machine",
     .programs = "docker podman",
     .when = uses_other_engine,
     .yes = {"docker -H ssh://prod rm web"},
     .no = {"docker -H ssh://prod ps", "docker ps"},
     .set = RuleSet::talaria},
    {.key = "docker prune (deletes containers, images or volumes)",
     .programs = "docker podman nerdctl",
     .verbs = "system|volume|container|image|network|builder|buildx prune",
     .yes = {"docker system prune -af", "docker volume prune", "docker image prune -a"},
     .no = {"docker system df"},
     .set = RuleSet::talaria},
    {.key = "podman system reset (deletes all)",
     .programs = "podman",
     .verbs = "system reset",
     .yes = {"podman system reset --force"},
     .no = {"podman system info"},
     .set = RuleSet::talaria},
    {.key = "docker volume rm (deletes data)",
     .programs = "docker podman nerdctl",
     .verbs = "volume rm|remove",
     .yes = {"docker volume rm pgdata"},
     .no = {"docker volume ls"},
     .set = RuleSet::talaria},
    {.key = "docker removes many containers or images",
     .programs = "docker podman nerdctl",
     .verbs = "rm|rmi",
     .when = removes_many,
     .yes = {"docker rm $(docker ps -aq)", "docker images -q | xargs docker rmi"},
     .no = {"docker rm c", "docker rmi img"},
     .set = RuleSet::talaria},
    {.key = "docker removes many containers or images",
     .programs = "docker podman nerdctl",
     .verbs = "image|container rm|remove",
     .when = removes_many,
     .yes = {"docker image rm $(docker images -q)"},
     .no = {"docker image rm x"},
     .set = RuleSet::talaria},
    {.key = "docker removes many containers or images",
     .programs = "podman nerdctl",
     .verbs = "rm|rmi",
     .flags = "-a|--all",
     .yes = {"podman rm -a", "podman rm -af", "podman rmi --all"},
     .no = {"podman rm web", "podman ps -a"},
     .set = RuleSet::talaria},
    {.key = "docker forced removal of an image",
     .programs = "docker podman nerdctl",
     .verbs = "rmi",
     .flags = "-f|--force",
     .yes = {"docker rmi -f img", "nerdctl rmi --force img"},
     .no = {"docker rmi img", "docker rm -f c"},
     .set = RuleSet::talaria},
    {.key = "docker forced removal of an image",
     .programs = "docker podman nerdctl",
     .verbs = "image rm|remove",
     .flags = "-f|--force",
     .yes = {"docker image rm --force img"},
     .no = {"docker image rm img"},
     .set = RuleSet::talaria},
    {.key = "enters the namespaces of the host (nsenter)",
     .programs = "podman buildah",
     .verbs = "unshare|machine",
     .when =
         [](const Arguments& a) {
           return a.verb(0) == "unshare" || among(a.verb(1), "rm reset stop");
         },
     .yes = {"podman unshare rm -rf x", "podman machine rm"},
     .no = {"podman ps", "podman machine ls"},
     .set = RuleSet::talaria},
    {.key = "enters the namespaces of the host (nsenter)",
     .programs = "nsenter",
     .when = enters_the_host,
     .yes = {"nsenter -t 1 -m sh", "sudo nsenter --target=1 -a", "nsenter --target 1 --mount"},
     .no = {"nsenter -t 4711 -n ip addr"},
     .set = RuleSet::talaria},
    {.key = "docker swarm/stack/service removal",
     .programs = "docker",
     .verbs = "stack|service|swarm|secret|config|node|context rm|leave|remove",
     .yes = {"docker stack rm app", "docker swarm leave --force"},
     .no = {"docker stack ls"},
     .set = RuleSet::talaria},
    {.key = "container with the rights of the host",
     .programs = "docker podman nerdctl docker-compose",
     .when = runs_as_host,
     .yes = {"docker run -v /:/host alpine ls", "docker run --privileged x",
             "docker run -v /var/run/docker.sock:/var/run/docker.sock x", "docker run --pid host x",
             "docker container run -v/:/h x", "docker run --cap-add=SYS_ADMIN x"},
     .no = {"docker run --rm -v \"$PWD\":/w img make",
            "docker run -v /etc/localtime:/etc/localtime x", "docker run --cap-add=NET_ADMIN x",
            "docker run -v data:/var/lib/x img"},
     .set = RuleSet::talaria},
    {.key = "kubectl delete/drain",
     .programs = "kubectl oc k",
     .verbs = "delete|drain|cordon|taint|replace",
     .when = not_dry,
     .yes = {"kubectl delete ns prod", "kubectl -n x delete pod y", "oc delete project z",
             "kubectl drain node1"},
     .no = {"kubectl get pods", "kubectl apply -f x.yaml", "kubectl delete pod x --dry-run=client"},
     .set = RuleSet::talaria},
    {.key = "kubectl scale or rollout undo",
     .programs = "kubectl oc",
     .verbs = "rollout undo|restart|pause|resume",
     .yes = {"kubectl rollout undo deploy/x", "kubectl rollout restart deploy/x"},
     .no = {"kubectl rollout status deploy/x"},
     .set = RuleSet::talaria},
    {.key = "kubectl scale or rollout undo",
     .programs = "kubectl oc",
     .verbs = "scale",
     .when =
         [](const Arguments& a) {
           return std::ranges::any_of(option_values(a.command, '\0', "replicas"),
                                      [](const SeenWord& word) { return word.text == "0"; });
         },
     .yes = {"kubectl scale deploy/x --replicas=0", "kubectl scale --replicas 0 deploy/x"},
     .no = {"kubectl scale deploy/x --replicas=3"},
     .set = RuleSet::talaria},
    {.key = "kubectl delete/drain",
     .programs = "kubectl oc",
     .verbs = "patch",
     .when =
         [](const Arguments& a) {
           return a.any_word([](std::string_view word) {
             return word.contains("finalizers") || word.contains("\"op\":\"remove\"");
           });
         },
     .yes = {"kubectl patch pvc x -p '{\"metadata\":{\"finalizers\":null}}'"},
     .no = {"kubectl patch deploy x -p '{\"spec\":{\"replicas\":2}}'"},
     .set = RuleSet::talaria},
    {.key = "helm uninstall/rollback",
     .programs = "helm",
     .verbs = "uninstall|delete|rollback|del|un",
     .when = not_dry,
     .yes = {"helm uninstall app", "helm -n x delete app"},
     .no = {"helm list", "helm upgrade --install app ./chart"},
     .set = RuleSet::talaria},
    {.key = "terraform destroy",
     .programs = "terraform tofu terragrunt pulumi cdk cdktf",
     .verbs = "destroy",
     .yes = {"terraform destroy", "tofu destroy -auto-approve", "pulumi destroy --yes"},
     .no = {"terraform plan", "terraform plan -destroy"},
     .set = RuleSet::talaria},
    {.key = "terraform apply without asking",
     .programs = "terraform tofu terragrunt",
     .verbs = "apply|run-all|run",
     .when = applies_unasked,
     .yes = {"terraform apply -auto-approve", "terraform apply -destroy"},
     .no = {"terraform plan", "terraform validate"},
     .set = RuleSet::talaria},
    {.key = "terraform apply without asking",
     .programs = "pulumi",
     .verbs = "up|update|refresh",
     .flags = "-y|--yes|-f|--skip-preview",
     .yes = {"pulumi up --yes"},
     .no = {"pulumi up", "pulumi preview"},
     .set = RuleSet::talaria},
    {.key = "terraform state/workspace removal",
     .programs = "pulumi",
     .verbs = "stack|state rm|delete",
     .yes = {"pulumi stack rm dev"},
     .no = {"pulumi stack ls"},
     .set = RuleSet::talaria},
    {.key = "terraform state/workspace removal",
     .programs = "terraform tofu",
     .verbs = "state|workspace rm|delete|push",
     .yes = {"terraform state rm x.y"},
     .no = {"terraform state list"},
     .set = RuleSet::talaria},
    {.key = "vagrant/VM destroy",
     .programs = "vagrant virsh multipass VBoxManage vboxmanage prlctl limactl minikube kind k3d "
                 "eksctl colima",
     .verbs = "destroy|undefine|delete|unregistervm|purge|box",
     .when =
         [](const Arguments& a) { return a.verb(0) != "box" || among(a.verb(1), "remove prune"); },
     .yes = {"vagrant destroy -f", "virsh destroy vm1", "minikube delete", "kind delete cluster"},
     .no = {"vagrant up", "minikube start"},
     .set = RuleSet::talaria},
    {.key = "AWS deletes resources",
     .programs = "aws",
     .when = aws_deletes,
     .yes = {"aws s3 rm s3://b --recursive", "aws s3 rb s3://b --force",
             "aws ec2 terminate-instances --instance-ids i-1", "aws rds delete-db-instance --x y"},
     .no = {"aws s3 ls", "aws s3 cp a s3://b/a", "aws s3 rm s3://b/x --dryrun"},
     .set = RuleSet::talaria},
    {.key = "Google Cloud deletes resources",
     .programs = "gcloud",
     .when = deletes_in_cloud,
     .yes = {"gcloud compute instances delete x", "gcloud projects delete p"},
     .no = {"gcloud compute instances list"},
     .set = RuleSet::talaria},
    {.key = "Google Cloud deletes resources",
     .programs = "gsutil",
     .when = gsutil_deletes,
     .yes = {"gsutil -m rm -r gs://b", "gsutil rb gs://b"},
     .no = {"gsutil ls gs://b"},
     .set = RuleSet::talaria},
    {.key = "Google Cloud deletes resources",
     .programs = "bq",
     .verbs = "rm",
     .yes = {"bq rm -r -f dataset"},
     .no = {"bq query x"},
     .set = RuleSet::talaria},
    {.key = "Azure deletes resources",
     .programs = "az azd",
     .when = deletes_in_cloud,
     .yes = {"az group delete -n rg --yes", "az vm delete -n x"},
     .no = {"az vm list"},
     .set = RuleSet::talaria},
    {.key = "cloud provider deletes resources",
     .programs =
         "doctl hcloud linode-cli flyctl fly heroku vercel netlify wrangler railway supabase "
         "firebase oci ibmcloud scw cf eb sls serverless ansible-vault nomad consul vault etcdctl",
     .when = deletes_in_cloud,
     .yes = {"doctl compute droplet delete x", "fly apps destroy x", "wrangler delete",
             "serverless remove", "vault delete secret/x"},
     .no = {"doctl account get", "fly deploy", "vault read secret/x"},
     .set = RuleSet::talaria},
    {.key = "cloud provider deletes resources",
     .programs = "mc s3cmd b2 s5cmd etcdctl vault railway consul azcopy",
     .verbs = "rm|del|rb|delete-bucket|delete-file-version|secrets|down|auth|lease|bucket|remove",
     .when =
         [](const Arguments& arguments) {
           return !among(arguments.verb(0), "secrets auth lease bucket") ||
                  among(arguments.verb(1), "disable revoke delete");
         },
     .yes = {"mc rm --recursive --force x/y", "s3cmd del --recursive s3://x", "etcdctl del a",
             "vault secrets disable kv", "b2 delete-bucket x"},
     .no = {"mc ls x", "vault secrets list", "etcdctl get a"},
     .set = RuleSet::talaria},
    {.key = "cloud provider deletes resources",
     .programs = "heroku supabase",
     .when =
         [](const Arguments& arguments) {
           return among(arguments.verb(0), "apps:destroy addons:destroy pg:reset") ||
                  arguments.begins("db reset");
         },
     .yes = {"heroku apps:destroy x", "supabase db reset"},
     .no = {"heroku logs", "supabase db diff"},
     .set = RuleSet::talaria},
};

}  // namespace

std::span<const Rule> container_rules() { return kContainerRules; }

}  // namespace talaria::guard
