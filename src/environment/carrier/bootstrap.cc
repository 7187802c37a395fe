#include "environment/carrier/bootstrap.h"

namespace talaria {
namespace {

std::string program_in(const std::string& place, std::string_view digest) {
  return place + "/talaria-runner-" + std::string(digest.substr(0, 16));
}

std::string words(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& word : list) text += " " + word;
  return text;
}

}  // namespace

const std::vector<std::string>& runner_places() {
  static const std::vector<std::string> places{
      "\"${HOME:-/root}/.talaria\"", "/workspace/.talaria",      "/opt/talaria", "/var/lib/talaria",
      "/usr/local/lib/talaria",      "/dev/shm/talaria-$(id -u)"};
  return places;
}

std::string connect_script(const BootstrapRequest& request) {
  std::string digests;
  for (const std::string& digest : request.digests) digests += " " + digest.substr(0, 16);
  const std::string seconds = std::to_string(request.lifetime.count());
  // --version proves that the file may run here and is of this machine's kind.
  return "for d in" + words(runner_places()) + "; do for h in" + digests +
         "; do r=\"$d/talaria-runner-$h\"; "
         "if [ -O \"$d\" ] && [ -O \"$r\" ] && [ -x \"$r\" ] && \"$r\" --version >/dev/null 2>&1; "
         "then exec \"$r\" " +
         request.mode + " \"$d/run\" " + seconds + " " + request.nonce +
         "; fi; done; done; echo \"TALARIA-NEED " + request.nonce + " $(uname -m)\"";
}

std::string install_script(std::string_view digest, std::string_view nonce) {
  const std::string name = program_in("$d", digest);
  // The program is on standard input only once: it goes to the first writable place, and from there
  // to the next ones until it runs.
  return "umask 077; got=; for d in" + words(runner_places()) +
         "; do mkdir -p \"$d\" 2>/dev/null || continue; "
         "[ -O \"$d\" ] && chmod 700 \"$d\" || continue; t=\"$d/new.$$\"; "
         "if [ -z \"$got\" ]; then cat >\"$t\" 2>/dev/null || { rm -f \"$t\"; continue; }; "
         "else cp \"$got\" \"$t\" 2>/dev/null || continue; rm -f \"$got\"; fi; got=\"$t\"; "
         "chmod 700 \"$t\"; if \"$t\" --version >/dev/null 2>&1; then mv \"$t\" \"" +
         name + "\" && echo \"TALARIA-HAVE " + std::string(nonce) +
         "\"; exit; fi; done; "
         "if [ -n \"$got\" ]; then rm -f \"$got\"; echo \"TALARIA-FAIL " +
         std::string(nonce) + " no place here lets programs run\"; else echo \"TALARIA-FAIL " +
         std::string(nonce) + " no place here can be written to\"; fi";
}

}  // namespace talaria
