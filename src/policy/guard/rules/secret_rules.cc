// Secrets that a command would print: what a terminal shows, the model and its transcript have.
#include <algorithm>

#include "policy/guard/rules/destinations.h"
#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/sending.h"

namespace talaria::guard {
namespace {

// Keys and passwords of the person, not the example values of the project.
bool is_persons_secret(const Arguments& arguments, const SeenWord& word) {
  const std::string path = arguments.resolved(word).text;
  return arguments.paths.is_secret(path) &&
         (arguments.paths.is_foreign(path) || path.starts_with("/proc/"));
}

bool shows_secret(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  if (arguments.has("-l|--files-with-matches|-c|--count|-q|--quiet") &&
      among(command.program, "grep rg egrep fgrep")) {
    return false;
  }
  const auto bad = [&](const SeenWord& word) { return is_persons_secret(arguments, word); };
  return arguments.any_operand(bad) ||
         std::ranges::any_of(command.redirects, [&](const SeenRedirect& redirect) {
           return redirect.kind == ShellRedirect::Kind::input && bad(redirect.target);
         });
}

bool copies_secret(const Arguments& arguments) {
  return std::ranges::any_of(
      sources(arguments), [&](const SeenWord& word) { return is_persons_secret(arguments, word); });
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
    return is_persons_secret(arguments, word) ||
           arguments.paths.folded(word.text).contains("/Cookies") ||
           (word.text.starts_with("file:") &&
            is_persons_secret(arguments, {word.text.substr(5, word.text.find('?') - 5)}));
  });
}

constexpr auto kSecretRules = only_ours(std::to_array<Rule>({
    {.key = "secret shown",
     .programs =
         "cat bat less more head tail tac nl xxd hexdump od base64 base32 strings grep "
         "egrep fgrep rg awk gawk sed cut sort jq yq fold rev view vim vi nano tar zip 7z xclip "
         "xsel wl-copy pbcopy qrencode lp lpr openssl mapfile bzip2 gzip paste od basenc",
     .when = shows_secret,
     .why = "shows a key or password to the model",
     .yes = {"cat ~/.ssh/id_rsa", "sudo cat /etc/shadow", "base64 -w0 < ~/.aws/credentials",
             "tar czf x.tgz ~/.gnupg", "grep token ~/.netrc", "cat /proc/*/environ"},
     .no = {"cat ~/.ssh/id_rsa.pub", "cat .env.example", "cat certs/server.pem", "ls -la ~/.ssh",
            "cat .env", "ssh-keygen -l -f ~/.ssh/id_rsa"}},
    {.key = "secret shown",
     .programs = "cp scp rsync mv ln dd",
     .when = copies_secret,
     .why = "copies a key or password",
     .yes = {"cp ~/.ssh/id_rsa .", "cp -r ~/.gnupg /tmp/x"},
     .no = {"cp ~/.ssh/config /tmp/x", "cp .env .env.bak", "cp ~/.ssh/id_rsa.pub ."}},
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
