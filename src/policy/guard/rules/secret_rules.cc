// Secrets that a command would print: what a terminal shows, the model and its transcript have.
#include <algorithm>

#include "policy/guard/listings.h"
#include "policy/guard/rules/destinations.h"
#include "policy/guard/rules/named_paths.h"
#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/sending.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/shell_call.h"
#include "policy/guard/run/wrapper.h"

namespace talaria::guard {
namespace {

// These are made for keys, or look at the outside of a file only, or a rule of their own judges
// what they do to it.
constexpr std::string_view kNotShowing =
    "ssh-add ssh-keygen ssh-copy-id ssh-agent chmod chown chgrp chattr setfacl getfacl ls exa eza "
    "lsd stat test [ [[ du df tree find gfind fd file wc sha1sum sha256sum sha512sum shasum md5sum "
    "b2sum cksum touch mkdir rmdir rm shred unlink readlink realpath basename dirname echo printf "
    "cd pushd popd export declare typeset local readonly unset alias which type command hash true "
    "false : set return exit talaria hermes";

// Options whose value a client logs in with: a key, or a file of settings, which is none of ~/.ssh.
constexpr std::string_view kKeyOptions =
    "--identity --identity-file --private-key --key --cert --key-file --ssh-key "
    "--ssh-private-key --keyfile";
constexpr std::string_view kSettingsOptions =
    "--kubeconfig --credentials --credentials-file --userconfig --homedir --config --netrc-file "
    "--service-account --from-env-file --env-file --vault-password-file";
constexpr std::string_view kKeyClients = "ssh sftp mosh autossh sshfs scp rsync slogin";

constexpr std::string_view kShowing =
    "cat bat less more head tail tac nl xxd hexdump od base64 base32 strings grep egrep fgrep rg "
    "awk gawk sed cut sort jq yq fold rev view vim vi nano tar zip 7z xclip xsel wl-copy pbcopy "
    "qrencode lp lpr openssl mapfile bzip2 gzip paste basenc";

bool is_secret_word(const Arguments& arguments, const SeenWord& word) {
  return arguments.paths.is_persons_secret(word);
}

bool is_metadata_search(const Arguments& arguments) {
  return among(arguments.command.program, "grep rg egrep fgrep") &&
         arguments.has(
             "-l|-L|--files-with-matches|--files-without-match|--files|-c|--count|-q|--quiet");
}

// '', '.', '[a-z]*', 'x|': less than three characters have to be there
bool matches_most(std::string_view pattern) {
  constexpr int kLeast = 3;
  int literal = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '|' && literal < kLeast) return true;
    if (c == '|') literal = 0;
    if (c == '\\') {
      ++i;
    } else if (c == '[') {
      i = std::min(pattern.find(']', i + 2), pattern.size());
    } else if (c == '*' || c == '?') {
      --literal;
    } else if (!std::string_view("|.+^$(){}").contains(c)) {
      ++literal;
    }
  }
  return literal < kLeast;
}

// What a command goes through below a directory: everything there counts as named.
struct WholeTrees {
  std::vector<SeenWord> places;
  bool looks_for_something = false;  // only lines with it are shown
};
WholeTrees whole_trees(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  WholeTrees trees;
  if (const std::optional<TextSearch> search = text_search(command)) {
    trees.looks_for_something =
        !arguments.has("-v|--invert-match") && std::ranges::none_of(search->patterns, matches_most);
    if (trees.looks_for_something) return trees;
    for (const std::string& place : search->places) {
      trees.places.push_back({.text = place, .listed = true});
    }
    return trees;
  }
  const bool archive = among(command.program, "tar gtar bsdtar") &&  // tar cf - ~
                       arguments.any_word([](std::string_view word) { return word == "-"; });
  const bool differences =
      archive ||
      (command.program == "diff" && arguments.has("-r|--recursive") &&
       !arguments.has("-q|--brief")) ||
      (command.program == "git" && arguments.begins("diff") && arguments.has("--no-index") &&
       !arguments.has("--stat|--name-only|--name-status|--quiet"));
  if (!differences) return trees;
  for (const SeenWord* word : arguments.operands()) {
    trees.places.push_back({.text = word->text + "/" + kUnknownPiece, .listed = true});
  }
  return trees;
}

// wc --files0-from=F, file -f F, sha256sum -c F: what is in it are names, which it prints.
bool reads_names(const Arguments& arguments) {
  const std::string& program = arguments.command.program;
  return (among(program, "wc du") && arguments.has("--files0-from*")) ||
         (among(program, "find gfind") && arguments.has("-files0-from")) ||
         (program == "tree" && arguments.has("--fromfile|--fromtabfile|--gitfile*|--info*")) ||
         (program == "rsync" && arguments.has("--files-from*|--include-from*|--exclude-from*")) ||
         (program == "file" && arguments.has("-f|--files-from*")) ||
         (program.ends_with("sum") && arguments.has("-c|--check"));
}

// Of what such an option takes, nothing is shown.
SeenCommand without_own_keys(const Arguments& arguments) {
  SeenCommand rest = arguments.command;
  const bool client = among(rest.program, kKeyClients);
  for (std::size_t i = 1; i < rest.words.size(); ++i) {
    const std::string_view name = rest.word(i).substr(0, rest.word(i).find('='));
    const bool settings = among(name, kSettingsOptions);
    const bool key = among(name, kKeyOptions) || (client && (name == "-i" || name == "-o"));
    if (!settings && !key) {
      if (client && name.starts_with("-i")) rest.words[i].text = "-";  // -i~/.ssh/id_rsa
      continue;
    }
    if (name.size() == rest.word(i).size() && i + 1 < rest.words.size()) ++i;
    const std::string_view value = rest.word(i).substr(rest.word(i).find('=') + 1);
    const bool known = name == "--env-file" ? arguments.paths.is_secret(value)  // ~/.hermes/.env
                       : name == "--userconfig" ? !value.ends_with("npmrc")
                                                : arguments.paths.is_ssh(value);
    if (key || !known) rest.words[i].text = "-";
  }
  return rest;
}

// The words of a command that are its own, and not those of another that it runs.
SeenCommand own_words(const SeenCommand& command) {
  SeenCommand own = command;
  const Wrapper* const wrapper = find_wrapper(command.program);
  if (wrapper == nullptr) return own;
  const std::vector<std::string_view> words = views_of(command.words);
  own.words.resize(std::min(wrapped_at(*wrapper, words), words.size()));
  std::erase_if(own.words, [](const SeenWord& word) { return is_assignment(word.text); });
  return own;
}

// git config user.signingkey ~/.ssh/id_rsa.pub, git log -- ~/.ssh: git shows what it has itself.
bool stays_in_repository(const Arguments& arguments) {
  if (arguments.command.program != "git") return false;
  if (arguments.verb(0) == "config") return !arguments.has("-f|--file*|--blob*");
  return among(
      arguments.verb(0),
      "add log show status ls-files ls-tree check-ignore rm mv clone fetch pull push remote "
      "shortlog rev-list whatchanged restore checkout switch branch init submodule");
}

}  // namespace

// Whatever reads a file can show it: only few programs are known not to.
bool shows_secret(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  if (is_metadata_search(arguments) || stays_in_repository(arguments)) return false;
  const bool reads_list = reads_names(arguments);
  if (among(command.program, kNotShowing) && !reads_list) return false;
  if (command.elsewhere && !among(command.program, kShowing)) return false;
  const WholeTrees trees = whole_trees(arguments);
  const bool passes_on = trees.looks_for_something || is_shell(command.program);
  const auto bad = [&](const SeenWord& word) {
    if (!word.listed || !passes_on) return is_secret_word(arguments, word);
    return is_secret_word(arguments, {.text = word.text, .pattern = word.pattern});
  };
  if (redirect_names(arguments, false, bad)) return true;
  if (command.program.empty()) return false;  // what a function does is judged there
  for (const SeenWord& place : trees.places) {
    if (bad(arguments.resolved(place))) return true;
  }
  if (!reads_list && among(command.program, "cp scp rsync mv ln install")) {
    return std::ranges::any_of(sources(arguments), bad);
  }
  if (script_names_path(arguments, bad)) return true;
  const bool all_files = among(command.program, kShowing);
  if (!names_path(arguments, bad, all_files)) return false;
  const SeenCommand own = own_words(command);
  const SeenCommand rest = without_own_keys(Arguments(own, arguments.paths));
  return names_path(Arguments(rest, arguments.paths), bad, all_files);
}

namespace {

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
         {"password", "passwd", "secret", "token", "api_key", "apikey", "private", "akia", "aws_",
          "id_", "begin openssh"}) {
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
    for (const std::string_view secret :
         {"id_rsa", "id_ed25519", "id_*", "ssh/", ".pem", ".kdbx", ".env", "credentials", "wallet",
          ".p12", ".key", ".ovpn"}) {
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

// npm config get //registry.example/:_authToken
bool shows_setting(const Arguments& arguments) {
  return arguments.begins("config|c get") && lower_case(arguments.verb(2)).contains("_auth");
}

// ps auxe, ps eww: letters without a dash
bool shows_environments(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (among(word, "-o -O -p -C -u -U -g -G -t --pid --ppid --user --sort --format o O p U t")) {
      ++i;
    } else if (!word.starts_with('-') && word.contains('e') &&
               word.find_first_not_of("aefghjlmrsuvwxASX") == word.npos) {
      return true;
    }
  }
  return false;
}

// printenv | grep -i token
bool filters_secret_variables(const Arguments& arguments) {
  const std::vector<std::string>& from = arguments.command.input.producers;
  const bool variables = from.size() == 1 && among(from.front(), "printenv env export set");
  return variables && arguments.any_operand([](const SeenWord& word) {
    const std::string text = lower_case(word.text);
    for (const std::string_view name : {"token", "secret", "passw", "api_key", "apikey"}) {
      if (text.contains(name)) return true;
    }
    return false;
  });
}

// cp -a ~/. /tmp/h, tar czf h.tgz -C ~ .: the keys are among it, and a later command may read them.
bool copies_home(const Arguments& arguments) {
  const auto is_home = [&](const SeenWord& word) {
    return arguments.paths.is_home({arguments.resolved(word).text});
  };
  const auto& words = arguments.operands();
  if (among(arguments.command.program, "cp rsync")) {
    return words.size() > 1 && std::any_of(words.begin(), words.end() - 1,
                                           [&](const SeenWord* word) { return is_home(*word); });
  }
  const bool from_home =
      std::ranges::any_of(option_values(arguments.command, 'C', "directory"), is_home);
  const bool all =
      arguments.any_operand([](const SeenWord& word) { return among(word.text, ". ./ *"); });
  return (from_home && all && arguments.command.program != "zip") || arguments.any_operand(is_home);
}

constexpr auto kSecretRules = only_ours(std::to_array<Rule>({
    {.key = "copy of a whole home",
     .programs = "cp rsync tar gtar bsdtar zip 7z 7za",
     .when = copies_home,
     .yes = {"cp -a ~/. /tmp/h", "tar czf dist/h.tgz -C ~ .", "zip -qr dist/h.zip ~",
             "rsync -a ~/ static/"},
     .no = {"cp a ~/", "tar czf x.tgz -C src .", "rsync -a src/ dst/"},
     .set = RuleSet::talaria},
    {.key = "secret shown",
     .when = shows_secret,
     .why = "shows a key or password to the model",
     .yes = {"cat ~/.ssh/id_rsa", "sudo cat /etc/shadow", "base64 -w0 < ~/.aws/credentials",
             "x=$(<~/.ssh/id_rsa)", "find ~ -type f -exec cat {} +", "grep -rn '' ~"},
     .no = {"cat ~/.ssh/id_rsa.pub", "cat .env", "cat certs/server.pem", "ls -la ~/.ssh",
            "ssh -i ~/.ssh/id_rsa h", "grep -rn TODO ~"}},
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
     .no = {"pass ls", "vault status", "gh auth status", "kubectl get secrets -o name",
            "gpg --list-keys", "aws secretsmanager list-secrets"}},
    {.key = "secret shown",
     .programs = "ps",
     .when = shows_environments,
     .why = "shows the variables of other programs, with their secrets",
     .yes = {"ps auxe", "ps eww -C talaria", "ps -p 7 e"},
     .no = {"ps aux", "ps -ef", "ps -eo pid,cmd", "ps axww", "ps -e"}},
    {.key = "secret shown",
     .programs = "getent",
     .verbs = "shadow|gshadow",
     .yes = {"getent shadow"},
     .no = {"getent passwd", "getent hosts h"}},
    {.key = "secret shown",
     .programs = "rails",
     .verbs = "credentials:show|credentials:edit|secrets:show",
     .yes = {"bin/rails credentials:show --environment production"},
     .no = {"bin/rails routes", "rails db:migrate:status"}},
    {.key = "secret shown",
     .programs = "docker podman",
     .verbs = "inspect|container",
     .when =
         [](const Arguments& a) {
           return !a.command.substituted.empty() &&  // those of many
                  a.any_word([](std::string_view word) { return word.contains("Config.Env"); });
         },
     .why = "shows the variables of containers, with their secrets",
     .yes = {"docker inspect $(docker ps -q) --format '{{json .Config.Env}}'"},
     .no = {"docker inspect c", "docker inspect -f '{{json .Config.Env}}' c"}},
    {.key = "secret shown",
     .programs = "adb",
     .verbs = "backup",
     .why = "copies what a phone holds",
     .yes = {"adb backup -apk -all -f x.ab"},
     .no = {"adb devices", "adb logcat"}},
    {.key = "secret shown",
     .programs = "npm pnpm yarn",
     .when = shows_setting,
     .why = "shows a token to the model",
     .yes = {"npm config get //h.example/:_authToken"},
     .no = {"npm config get registry", "npm config list"}},
    {.key = "secret shown",
     .programs = "grep egrep rg ag ack awk sed",
     .when = filters_secret_variables,
     .why = "shows the secrets of the environment to the model",
     .yes = {"printenv | grep -iE 'token|secret'", "env | grep PASSWORD"},
     .no = {"env | grep PATH", "printenv | sort", "cat x | grep token"}},
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
