// Secrets that a command would print: what a terminal shows, the model and its transcript have.
#include <algorithm>

#include "policy/guard/rules/destinations.h"
#include "policy/guard/rules/named_paths.h"
#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/sending.h"
#include "policy/guard/run/wrapper.h"

namespace talaria::guard {
namespace {

// These are made for keys, or look at the outside of a file only, or a rule of their own judges
// what they do to it.
constexpr std::string_view kNotShowing =
    "ssh ssh-add ssh-keygen ssh-copy-id ssh-agent sftp mosh autossh sshfs git chmod chown chgrp "
    "chattr setfacl getfacl ls exa eza lsd stat test [ [[ du df tree find gfind fd file wc "
    "sha1sum sha256sum sha512sum shasum md5sum b2sum cksum touch mkdir rmdir rm shred unlink "
    "readlink realpath basename dirname echo printf cd pushd popd export declare typeset local "
    "readonly unset alias which type command hash true false : set return exit talaria hermes tmux";

// Options whose value a client logs in with.
constexpr std::string_view kKeyOptions =
    "--identity --identity-file --private-key --key --cert --kubeconfig --key-file --ssh-key "
    "--ssh-private-key --credentials --credentials-file --userconfig --homedir --config "
    "--keyfile --netrc-file --service-account --from-env-file --vault-password-file";

constexpr std::string_view kShowing =
    "cat bat less more head tail tac nl xxd hexdump od base64 base32 strings grep egrep fgrep rg "
    "awk gawk sed cut sort jq yq fold rev view vim vi nano tar zip 7z xclip xsel wl-copy pbcopy "
    "qrencode lp lpr openssl mapfile bzip2 gzip paste basenc";

bool is_secret_word(const Arguments& arguments, const SeenWord& word) {
  return arguments.paths.is_persons_secret(word);
}

bool is_metadata_search(const Arguments& arguments) {
  return among(arguments.command.program, "grep rg egrep fgrep") &&
         arguments.has("-l|--files-with-matches|-c|--count|-q|--quiet");
}

// wc --files0-from=F, file -f F, sha256sum -c F: what is in it are names, which it prints.
bool reads_names(const Arguments& arguments) {
  const std::string& program = arguments.command.program;
  return (among(program, "wc du") && arguments.has("--files0-from*")) ||
         (program == "file" && arguments.has("-f|--files-from*")) ||
         (program.ends_with("sum") && arguments.has("-c|--check"));
}

// Of what such an option takes, nothing is shown.
SeenCommand without_own_keys(const SeenCommand& command) {
  SeenCommand rest = command;
  for (std::size_t i = 1; i < rest.words.size(); ++i) {
    const std::string_view name = rest.word(i).substr(0, rest.word(i).find('='));
    if (!among(name, kKeyOptions)) continue;
    if (name.size() == rest.word(i).size() && i + 1 < rest.words.size()) ++i;
    rest.words[i].text = "-";
  }
  return rest;
}

// Whatever reads a file can show it: only few programs are known not to.
bool shows_secret(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  if (is_metadata_search(arguments)) return false;
  if (among(command.program, kNotShowing) && !reads_names(arguments)) return false;
  if (command.elsewhere && !among(command.program, kShowing)) return false;
  const auto bad = [&](const SeenWord& word) { return is_secret_word(arguments, word); };
  if (redirect_names(arguments, false, bad)) return true;
  // what a function or another command does with its words is judged there
  if (command.program.empty() || find_wrapper(command.program) != nullptr) return false;
  if (among(command.program, "cp scp rsync mv ln install")) {
    return std::ranges::any_of(sources(arguments), bad);
  }
  if (script_names_path(arguments, bad)) return true;
  const bool all_files = among(command.program, kShowing);
  if (!names_path(arguments, bad, all_files)) return false;
  const SeenCommand rest = without_own_keys(command);
  return names_path(Arguments(rest, arguments.paths), bad, all_files);
}

// grep -r password ~
bool searches_home_for_secrets(const Arguments& arguments) {
  const bool all = arguments.has("-r|-R|--recursive|-rn") || arguments.command.program == "rg";
  const bool place = arguments.any_operand([&](const SeenWord& word) {
    return among(arguments.paths.folded(arguments.resolved(word).text),
                 "~ / /home /root /etc ~/.ssh ~/.config ~/.local");
  });
  const bool secret = arguments.any_word([](std::string_view word) {
    const std::string text = lower_case(word);
    for (const std::string_view name :
         {"password", "passwd", "secret", "token", "api_key", "apikey", "private key", "akia"}) {
      if (text.contains(name)) return true;
    }
    return false;
  });
  return all && place && secret;
}

// find / -name '*.pem' -o -name 'id_rsa'
bool finds_keys(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  if (!arguments.paths.is_foreign(
          arguments.resolved(SeenWord{std::string(arguments.verb(0))}).text) &&
      arguments.verb(0) != "/") {
    return false;
  }
  for (std::size_t i = 1; i + 1 < command.words.size(); ++i) {
    if (!among(command.word(i), "-name -iname -path")) continue;
    const std::string_view name = command.word(i + 1);
    for (const std::string_view secret : {"id_rsa", "id_ed25519", "id_*", ".pem", ".kdbx", ".env",
                                          "credentials", "wallet", ".p12", ".key", ".ovpn"}) {
      if (name.contains(secret)) return true;
    }
  }
  return false;
}

bool dumps_cookies(const Arguments& arguments) {
  return arguments.any_operand([&](const SeenWord& word) {
    return is_secret_word(arguments, arguments.resolved(word)) ||
           arguments.paths.folded(word.text).contains("/Cookies") ||
           (word.text.starts_with("file:") &&
            is_secret_word(arguments, {word.text.substr(5, word.text.find('?') - 5)}));
  });
}

constexpr auto kSecretRules = only_ours(std::to_array<Rule>({
    {.key = "secret shown",
     .when = shows_secret,
     .why = "shows a key or password to the model",
     .yes = {"cat ~/.ssh/id_rsa", "sudo cat /etc/shadow", "base64 -w0 < ~/.aws/credentials",
             "x=$(<~/.ssh/id_rsa)", "python3 -c 'f(sys.argv[1])' ~/.netrc", "cat /proc/*/environ"},
     .no = {"cat ~/.ssh/id_rsa.pub", "cat .env.example", "cat certs/server.pem", "ls -la ~/.ssh",
            "ssh -i ~/.ssh/id_rsa h", "ssh-keygen -l -f ~/.ssh/id_rsa"}},
    {.key = "secret shown",
     .programs =
         "pass gopass op bw lpass keepassxc-cli secret-tool kwallet-query keyring security "
         "gpg gpg2 vault aws gcloud az kubectl oc k heroku vercel netlify railway doppler "
         "infisical pulumi chamber sops ansible-vault git git-credential-store "
         "git-credential-cache git-credential-libsecret git-credential-manager gh glab "
         "credstash terraform tofu nmcli wg age rage npm keyctl docker-credential-desktop "
         "docker-credential-secretservice docker-credential-pass mimipenguin laZagne lazagne "
         "mimikatz fly flyctl rbw dcli bws passage teller berglas aws-vault saml2aws argocd consul "
         "nomad cf ibmcloud firebase databricks ykman doctl hcloud stripe",
     .when = prints_secret,
     .why = "shows a secret that is kept safely",
     .yes = {"pass show bank", "vault kv get secret/x", "gh auth token",
             "kubectl get secret x -o yaml", "gpg --export-secret-keys -a",
             "aws secretsmanager get-secret-value --secret-id x"},
     .no = {"pass ls", "vault status", "gh auth status", "kubectl get secrets", "gpg --list-keys",
            "aws secretsmanager list-secrets"}},
    {.key = "search for secrets outside the project",
     .programs = "grep egrep rg ag ack",
     .when = searches_home_for_secrets,
     .yes = {"grep -rI password ~", "grep -rE '(AKIA|secret)' /etc",
             "grep -r 'PRIVATE KEY' ~/.ssh"},
     .no = {"grep -rn password src", "grep -r TODO ~", "grep password ~/notes.txt"}},
    {.key = "search for secrets outside the project",
     .programs = "find gfind fd",
     .when = finds_keys,
     .yes = {"find / -name '*.pem'", "find ~ -name 'id_rsa'"},
     .no = {"find . -name '*.pem'", "find / -name core", "find ~ -name '*.txt'"}},
    {.key = "secret shown",
     .programs = "sqlite3 sqlite duckdb litecli sqlitebrowser plutil lz4jsoncat",
     .when = dumps_cookies,
     .why = "reads what a browser, a chat or a mail program keeps",
     .yes = {"sqlite3 ~/.mozilla/firefox/x/cookies.sqlite 'select 1'",
             "sqlite3 ~/Library/Messages/chat.db 'select text from message'",
             "sqlite3 'file:/home/alice/.config/Signal/sql/db.sqlite?mode=ro' .dump"},
     .no = {"sqlite3 app.db 'select 1'"}},
}));

}  // namespace

std::span<const Rule> secret_rules() { return kSecretRules; }

}  // namespace talaria::guard
