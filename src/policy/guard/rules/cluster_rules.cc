// Clusters, virtual machines and what runs commands on many machines: what takes something away for
// good. Containers and the great clouds have a file of their own.
#include <algorithm>

#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/verbs.h"
#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

bool changes_cluster(const Arguments& arguments) {
  return !only_rehearses(arguments) && !arguments.has("-C");
}

bool any_operand_is(const Arguments& arguments, std::string_view names) {
  return arguments.any_operand([&](const SeenWord& word) { return among(word.text, names); });
}

// ansible all -m file -a 'path=/x state=absent'
bool ansible_removes(const Arguments& arguments) {
  if (!changes_cluster(arguments)) return false;
  const auto given = option_values(arguments.command, 'a', "args");
  const auto modules = option_values(arguments.command, 'm', "module-name");
  const bool absent = std::ranges::any_of(
      given, [](const SeenWord& word) { return word.text.contains("state=absent"); });
  const bool ends = std::ranges::any_of(modules, [](const SeenWord& word) {
    const std::string_view name = word.text;
    return among(name.substr(name.find_last_of('.') + 1), "reboot shutdown filesystem parted");
  });
  return absent || ends;
}

bool salt_removes(const Arguments& arguments) {
  return arguments.any_operand([](const SeenWord& word) {
    const std::string_view name = word.text;
    return name.starts_with("system.") ||
           (name.contains('.') && among(name.substr(name.find('.') + 1),
                                        "remove purge delete absent rmdir wipe kill_all destroy"));
  });
}

constexpr auto kClusterRules = only_ours(std::to_array<Rule>({
    {.key = "release or application of a cluster removed",
     .programs = "helmfile",
     .verbs = "destroy|delete",
     .yes = {"helmfile destroy", "helmfile -e prod delete --purge"},
     .no = {"helmfile diff", "helmfile list"}},
    {.key = "release or application of a cluster removed",
     .programs = "argocd",
     .verbs = "app|proj|cluster|repo|appset|account delete|rm|delete-token|terminate-op",
     .yes = {"argocd app delete a", "argocd cluster rm c", "argocd proj delete p"},
     .no = {"argocd app list", "argocd app sync a"}},
    {.key = "release or application of a cluster removed",
     .programs = "flux istioctl linkerd velero skaffold tilt devspace okteto kops cilium werf "
                 "garden kapp k0s rke ytt odo",
     .when =
         [](const Arguments& a) {
           return changes_cluster(a) &&
                  any_operand_is(a, "delete uninstall purge destroy down remove reset dismiss");
         },
     .yes = {"flux uninstall", "istioctl uninstall --purge", "velero backup delete b",
             "skaffold delete", "kops delete cluster x --yes", "tilt down"},
     .no = {"flux get all", "velero backup get", "skaffold dev", "kops get clusters", "tilt up"}},
    {.key = "release or application of a cluster removed",
     .programs = "kubeadm k3s-uninstall.sh rke2-uninstall.sh",
     .when =
         [](const Arguments& a) {
           return a.command.program.ends_with(".sh") || a.verb(0) == "reset";
         },
     .yes = {"kubeadm reset -f", "k3s-uninstall.sh"},
     .no = {"kubeadm version", "kubeadm token list"}},
    {.key = "release or application of a cluster removed",
     .programs = "nomad",
     .when =
         [](const Arguments& a) {
           return a.begins("job stop|run|dispatch|promote|revert|scale") || a.begins("stop|run") ||
                  a.begins("system gc") || a.begins("namespace delete") ||
                  a.begins("volume delete");
         },
     .yes = {"nomad job stop -purge j", "nomad stop j", "nomad system gc"},
     .no = {"nomad job status j", "nomad node status"}},
    {.key = "containers or images removed at the runtime",
     .programs = "crictl ctr buildah",
     .when =
         [](const Arguments& a) {
           return a.begins("stop|stopp|rmp") ||
                  (any_operand_is(a, "rm rmi remove delete prune rmp kill") &&
                   (a.has("-a|-f|--all|--force|--prune") || a.command.program == "ctr"));
         },
     .yes = {"crictl rmi --prune", "crictl rm -fa", "ctr images rm x", "buildah rm -a"},
     .no = {"crictl ps -a", "buildah images", "ctr images ls"}},
    {.key = "vagrant/VM destroy",
     .programs = "lxc incus lxd",
     .verbs = "delete|rm|image|network|profile|project|storage|snapshot|cluster|stop|restart|pause",
     .when =
         [](const Arguments& a) {
           return among(a.verb(0), "delete rm") || a.has("--all") ||
                  among(a.verb(1), "delete rm") || among(a.verb(2), "delete rm");
         },
     .yes = {"lxc delete c --force", "incus rm c", "lxc storage delete pool"},
     .no = {"lxc list", "lxc image list", "lxc launch ubuntu c"}},
    {.key = "vagrant/VM destroy",
     .programs = "qm pct openstack nova cinder govc xe vmrun tart utmctl gnome-boxes",
     .when =
         [](const Arguments& a) {
           return a.any_operand([](const SeenWord& word) {
             const std::string_view text = word.text;
             return among(text, "destroy delete deleteVM purge") || text.ends_with(".destroy") ||
                    text.ends_with("-destroy") || text.ends_with("-uninstall");
           });
         },
     .yes = {"qm destroy 100", "openstack server delete s", "govc vm.destroy v",
             "xe vm-destroy uuid=1"},
     .no = {"qm list", "openstack server list", "govc vm.info v"}},
    {.key = "data of a storage cluster removed",
     .programs = "ceph rbd rados gluster radosgw-admin",
     .when =
         [](const Arguments& a) {
           return any_operand_is(a, "rm purge delete remove destroy zap trash cleanup stop");
         },
     .yes = {"ceph osd pool delete p p --yes-i-really-really-mean-it", "rbd rm pool/img",
             "gluster volume delete v"},
     .no = {"ceph status", "rbd ls", "gluster volume info"}},
    {.key = "cloud provider deletes resources",
     .programs = "eb sam copilot amplify chalice zappa up apex vercel now surge render pscale neon "
                 "neonctl planetscale turso northflank koyeb coolify dokku caprover deno",
     .when =
         [](const Arguments& a) {
           return changes_cluster(a) && a.any_operand([](const SeenWord& word) {
             const std::string_view text = word.text;
             return among(text.substr(text.find(':') + 1),
                          "terminate delete destroy teardown undeploy remove rm");
           });
         },
     .yes = {"eb terminate env", "sam delete", "amplify delete", "dokku apps:destroy x",
             "neonctl projects delete p"},
     .no = {"eb status", "sam build", "vercel deploy", "dokku apps:list"}},
    {.key = "change of many machines",
     .programs = "ansible",
     .when = ansible_removes,
     .yes = {"ansible all -m file -a 'path=/srv/x state=absent'", "ansible all -m reboot",
             "ansible web -m ansible.builtin.reboot"},
     .no = {"ansible all -m ping", "ansible --version"}},
    {.key = "change of many machines",
     .programs = "salt salt-call salt-ssh",
     .when = salt_removes,
     .yes = {"salt '*' system.reboot", "salt web file.remove /srv/x", "salt-call pkg.purge x"},
     .no = {"salt '*' test.ping", "salt-call grains.items"}},
    {.key = "change of many machines",
     .programs = "knife puppet chef-server-ctl",
     .when =
         [](const Arguments& a) { return any_operand_is(a, "delete purge cleanse bulk clean"); },
     .yes = {"knife node delete n", "puppet node purge n"},
     .no = {"knife node list", "puppet --version"}},
    {.key = "device erased or flashed",
     .programs = "adb idevicerestore xcrun ios-deploy",
     .verbs = "uninstall|reboot|sideload|restore|root|remount|disable-verity|simctl|emu|wipe",
     .when =
         [](const Arguments& a) {
           return a.command.program != "xcrun" ||
                  (a.verb(0) == "simctl" && among(a.verb(1), "erase delete"));
         },
     .yes = {"adb uninstall com.x", "adb reboot", "xcrun simctl erase all"},
     .no = {"adb devices", "adb logcat", "xcrun simctl list", "adb install app.apk"}},
    {.key = "device erased or flashed",
     .programs =
         "fastboot esptool esptool.py heimdall avrdude flash_erase flash_eraseall mtd_debug "
         "nandwrite flashcp",
     .when =
         [](const Arguments& a) {
           return a.command.program.starts_with("flash_") || a.has("-e|-w") ||
                  among(a.command.program, "nandwrite flashcp") ||
                  any_operand_is(a, "erase flash format erase_flash erase-flash oem flashing");
         },
     .yes = {"fastboot erase userdata", "esptool.py erase_flash", "flash_erase /dev/mtd0 0 0"},
     .no = {"fastboot devices", "esptool.py chip_id"}},
}));

}  // namespace

std::span<const Rule> cluster_rules() { return kClusterRules; }

}  // namespace talaria::guard
