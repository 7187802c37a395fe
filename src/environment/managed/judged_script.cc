#include "environment/managed/judged_script.h"

#include "base/sha256.h"
#include "environment/plain/plain_texts.h"
#include "shell/quote.h"

namespace talaria::environment::managed {
namespace {

constexpr std::string_view kBuiltin = "builtin ";

std::string go_to(const std::string& path, std::string_view otherwise) {
  return "builtin cd -- " + plain::path_word(path) + " " + std::string(otherwise) + "\n";
}

// At the end: what the session keeps, then the trailer. Options that would disturb the next command
// are off before they are asked for (-t, too, with which it would be the last one). Options come
// first, because a function may be written in what they allow, and aliases behind functions,
// because none may change one.
std::string last_lines(const std::string& nonce, const std::string& file) {
  std::string text =
      "{ __talaria_code=$?; set +euvxt; } 2>/dev/null\n"
      "[ \"$PWD\" = \"$__talaria_start\" ] || __talaria_keep=$PWD\n";
  if (!file.empty()) {
    text +=
        "export -n __talaria_code __talaria_start __talaria_keep __talaria_name\n"
        "{ shopt -p; set +o; umask -p; export -p; for __talaria_name in \"${__talaria_names[@]}\"; "
        "do [ -v \"$__talaria_name\" ] || printf \"unset -v %s\\n\" \"$__talaria_name\"; done; "
        "declare -f; alias -p; printf \"builtin cd -- %q\\n\" \"$__talaria_keep\"; } >|" +
        file + ".$$ 2>/dev/null && mv " + file + ".$$ " + file + "\n";
  }
  return text + "printf \"%s%s %s %s bash 0\\n%s%s%s\" " + nonce + " " + nonce +
         " \"$__talaria_code\" \"$__talaria_code\" \"$__talaria_keep\" " + nonce + " " + nonce;
}

}  // namespace

std::string judged_script(const plain::PlainCall& call) {
  const CommandSpec& spec = call.spec;
  const std::string file =
      spec.session.empty() ? "" : "~/.talaria-session-" + sha256_hex(spec.session).substr(0, 32);
  std::string text;
  if (!spec.first_cwd.empty()) text += go_to(spec.first_cwd, "2>/dev/null");
  if (!file.empty()) {
    text += "__talaria_names=($(compgen -e))\n[ ! -f " + file + " ] || . " + file +
            " >/dev/null 2>&1\n";
  }
  text += plain::call_export_lines(spec.carried_env, kBuiltin);
  if (!file.empty() && !spec.move_to.empty()) text += go_to(spec.move_to, "2>/dev/null");
  text += "__talaria_keep=$PWD\n";
  if (spec.workdir) text += go_to(*spec.workdir, "|| exit 126");
  text +=
      "__talaria_start=$PWD\ntrap " + shell::single_quote(last_lines(call.nonce, file)) + " EXIT\n";
  text += "printf '%s started\\n' " + call.nonce + "\n";
  return text + "eval " + shell::single_quote(spec.command) + "\n";
}

}  // namespace talaria::environment::managed
