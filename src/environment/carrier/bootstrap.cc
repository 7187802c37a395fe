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

std::string connect_script(const BootstrapRequest& request) {
  const RunnerPlaces& places = request.places;
  std::string digests;
  for (const std::string& digest : request.digests) digests += " " + digest.substr(0, 16);
  const std::string become = "exec \"$r\" " + request.mode + " \"$d/" + places.name + "\" " +
                             std::to_string(request.lifetime.count()) + " " + request.nonce;
  // --version proves that the file may run here and is of this machine's kind.
  const std::string runs = "[ -x \"$r\" ] && \"$r\" --version >/dev/null 2>&1";
  std::string script;
  if (!places.mounted.empty()) {
    script += "for h in" + digests + "; do r=\"" + places.mounted + "/talaria-runner-$h\"; if " +
              runs + "; then for d in" + words(places.own) +
              "; do mkdir -p \"$d\" 2>/dev/null && [ -O \"$d\" ] && [ -w \"$d\" ] && "
              "chmod 700 \"$d\" || continue; " +
              become + "; done; fi; done; ";
  }
  return script + "for d in" + words(places.own) + "; do for h in" + digests +
         "; do r=\"$d/talaria-runner-$h\"; if [ -O \"$d\" ] && [ -O \"$r\" ] && " + runs +
         "; then " + become + "; fi; done; done; echo \"TALARIA-NEED " + request.nonce +
         " $(uname -m)\"";
}

std::string install_script(const RunnerPlaces& places, std::string_view digest,
                           std::string_view nonce) {
  const std::string name = program_in("$d", digest);
  // The program is on standard input only once: it goes to the first writable place, and from there
  // to the next ones until it runs.
  return "umask 077; got=; for d in" + words(places.own) +
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
