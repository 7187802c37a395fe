#include "environment/carrier/bootstrap.h"

#include "environment/runner_image.h"

namespace talaria::environment::carrier {
namespace {

constexpr std::size_t kLongestDirectory = 90;  // a socket's path has 108 bytes
constexpr std::size_t kSpareKiB = 1024;        // for the files of the runner

// In a script that has the start of the digest in $h.
std::string runner_file() { return std::string(kRunnerFilePrefix) + "$h"; }

// Skips $d if it cannot be a place for a runner of $n bytes: another user could have made it or
// sees it, a socket could not be there, or it is full.
std::string make_runners_place(const RunnerPlaces& places) {
  return make_place() + "p=\"$d/" + places.name + "\"; [ ${#p} -le " +
         std::to_string(kLongestDirectory) +
         " ] || continue; "
         "case $(stat -f -c %T \"$d\" 2>/dev/null) in "
         "nfs*|cifs|smb*|lustre|gpfs|ceph|afs|coda|v9fs) continue;; esac; "
         "set -- $(df -Pk \"$d\" 2>/dev/null | tail -n 1); [ \"${4:-x}\" -lt $((n / 1024 + " +
         std::to_string(kSpareKiB) + ")) ] 2>/dev/null && continue; ";
}

// Stores the runner of $n bytes with the digest $h, which `read` prints, and then does `then` with
// its path in $r. It can be read only once: it goes to the first writable place, and from there to
// the next ones until it runs.
std::string store_runner(const RunnerPlaces& places, const std::string& nonce,
                         const std::string& read, const std::string& then) {
  const std::string fail = "echo \"TALARIA-FAIL " + nonce + " ";
  return "u=$(umask); umask 077; got=; for d in" + place_list(places.own) + "; do " +
         make_runners_place(places) +
         "t=\"$d/new.$$\"; if [ -z \"$got\" ]; then (: >\"$t\") 2>/dev/null || continue; "
         "e=$(" +
         read + " 2>&1 >\"$t\") || { rm -f \"$t\"; " + fail +
         "$d: $e\"; exit; }; "
         "else cp \"$got\" \"$t\" 2>/dev/null || continue; rm -f \"$got\"; fi; got=\"$t\"; "
         "chmod 700 \"$t\"; if \"$t\" --version >/dev/null 2>&1; then r=\"$d/" +
         runner_file() + "\"; umask \"$u\"; mv \"$t\" \"$r\" && " + then +
         "; exit; fi; done; "
         "if [ -n \"$got\" ]; then rm -f \"$got\"; " +
         fail + std::string(kNowhereExecutable) + "\"; else " + fail +
         "no place here can be written to\"; fi";
}

std::string need(const BootstrapRequest& request, const std::string& more) {
  return "echo \"TALARIA-NEED " + request.nonce + " $(uname -m)" + more + "\"";
}

// The login shell of the target may be slow to start: one that can take exactly a number of bytes
// takes the runner and becomes it.
std::string need_here(const BootstrapRequest& request, const std::string& become) {
  return "if command -v head >/dev/null 2>&1; then " + need(request, " here") +
         "; read -r h n || exit; " +
         store_runner(request.places, request.nonce, "head -c \"$n\"", become) + "; else " +
         need(request, "") + "; fi";
}

// --version proves that the file $r may run here and is of this machine's kind.
constexpr std::string_view kRuns = "[ -x \"$r\" ] && \"$r\" --version >/dev/null 2>&1";

std::string digest_list(const BootstrapRequest& request) {
  std::string digests;
  for (const std::string& digest : request.digests)
    digests += " " + digest.substr(0, kRunnerFileDigits);
  return digests;
}

// The program $r, with its files in the place $d.
std::string become(const BootstrapRequest& request) {
  return "exec \"$r\" " + request.mode + " \"$d/" + request.places.name + "\" " +
         std::to_string(request.lifetime.count()) + " " + request.nonce;
}

// Does nothing if no program is mounted that runs here.
std::string become_mounted(const BootstrapRequest& request) {
  const RunnerPlaces& places = request.places;
  if (places.mounted.empty()) return {};
  return "for h in" + digest_list(request) + "; do r=\"" + places.mounted + "/" + runner_file() +
         "\"; if " + std::string(kRuns) + "; then for d in" + place_list(places.own) + "; do " +
         make_place() + "[ -w \"$d\" ] || continue; " + become(request) + "; done; fi; done; ";
}

}  // namespace

std::string place_list(const std::vector<std::string>& places) {
  std::string text;
  for (const std::string& place : places) text += " " + place;
  return text;
}

std::string_view place_guard() {
  return "case $d in /tmp/*|/var/tmp/*|/dev/shm/*) [ ! -h \"$d\" ] || continue;; esac; "
         "[ -O \"$d\" ] || continue; ";
}

// Checked after it is created: before, another user could still put a link there.
std::string make_place() {
  return "mkdir -p \"$d\" 2>/dev/null || continue; " + std::string(place_guard()) +
         "chmod 700 \"$d\" || continue; ";
}

std::string connect_script(const BootstrapRequest& request) {
  const RunnerPlaces& places = request.places;
  return become_mounted(request) + "for d in" + place_list(places.own) + "; do " +
         std::string(place_guard()) + "for h in" + digest_list(request) + "; do r=\"$d/" +
         runner_file() + "\"; if [ -O \"$r\" ] && " + std::string(kRuns) + "; then " +
         become(request) + "; fi; done; done; " +
         (request.mode == "connect" ? need_here(request, become(request)) : need(request, ""));
}

std::string start_script(const RunnerPlaces& places, const std::vector<std::string>& digests,
                         std::chrono::seconds lifetime) {
  const BootstrapRequest request{.places = places,
                                 .digests = digests,
                                 .nonce = "start",
                                 .mode = "connect",
                                 .lifetime = lifetime};
  return "(" + become_mounted(request) + ":) </dev/null >/dev/null 2>&1";
}

std::string install_script(const RunnerPlaces& places, std::string_view digest, std::size_t size,
                           std::string_view nonce) {
  return "h=" + std::string(digest.substr(0, kRunnerFileDigits)) + "; n=" + std::to_string(size) +
         "; " +
         store_runner(places, std::string(nonce), "cat",
                      "echo \"TALARIA-HAVE " + std::string(nonce) + "\"");
}

std::string remove_script(const RunnerPlaces& places, std::uint64_t pid) {
  const std::string process = std::to_string(pid);
  // Renamed first: a program that looks for a runner meanwhile makes a new directory.
  return "n=0; while [ $n -lt 100 ]; do s=; read -r a b s c 2>/dev/null </proc/" + process +
         "/stat; case $s in ''|Z) break;; esac; n=$((n + 1)); sleep 0.1 2>/dev/null || sleep 1; "
         "done 2>/dev/null; "
         "for d in" +
         place_list(places.own) + "; do " + std::string(place_guard()) + "p=\"$d/" + places.name +
         "\"; if [ -d \"$p\" ]; then mv \"$p\" \"$d/removed.$$\" && rm -rf \"$d/removed.$$\" || "
         "echo \"$p could not be removed\"; fi 2>&1; "
         // Runners of other targets that share the home need the programs.
         "set -- \"$d\"/run*; [ -e \"$1\" ] || { rm -f \"$d\"/" +
         std::string(kRunnerFilePrefix) +
         "*; "
         "rmdir \"$d\"; } 2>/dev/null; done";
}

}  // namespace talaria::environment::carrier
