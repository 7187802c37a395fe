#include "policy/guard/rules/verbs.h"

#include <algorithm>
#include <array>

#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

constexpr std::string_view kLooks =
    "get list ls show describe view status info inspect logs log tail top version versions help "
    "search query read cat print explain events history diff plan preview validate lint check "
    "checks verify whoami wait watch head filter estimate simulate test lookup find poll tree ps "
    "df "
    "du current completion docs doctor template render synth graph output console login logout "
    "download pull fetch select scan decode count stat stats usage health ping";

constexpr std::string_view kChanges =
    "delete destroy remove rm rb del terminate stop start restart reboot reset purge create update "
    "put set unset patch modify apply deploy add attach detach associate disassociate authorize "
    "revoke enable disable import upload mv rollback undo scale promote failover restore drop "
    "drain "
    "cordon uncordon edit replace annotate label rotate cancel abort reject approve publish send "
    "submit register deregister tag untag move rename resize suspend resume pause unpause lock "
    "unlock activate deactivate invalidate flush empty clear wipe uninstall install upgrade "
    "downgrade undeploy release grant transfer migrate rebuild shutdown poweroff poweron halt kill "
    "down teardown taint untaint seal unseal expose autoscale sync reconcile change cancel execute "
    "on off push ch setmeta bind unbind leave decommission evict quarantine expire prune gc "
    "cleanup write "
    "power action seek resolve acknowledge trigger schedule ban block unlink archive unpublish "
    "yank truncate rollout increase decrease reload "
    "redeploy rolling deallocate swap mk load copy adopt force disassemble recreate reinstall "
    "assign "
    "unassign init hold requeue";

// In front of the verb: batch-delete-image, admin-delete-user.
constexpr std::string_view kAdverbs = "batch admin bulk force async";

// Programs that keep secrets, and what makes them print one.
struct Keeper {
  std::string_view programs;
  std::string_view verbs;       // as Rule::verbs; "": any
  std::string_view flags = {};  // one of them has to be there
};
constexpr Keeper kKeepers[] = {
    {"pass gopass", "show|otp|grep"},
    {"op", "item|document get"},
    {"op", "read|inject"},
    {"bw", "get|export|list"},
    {"lpass", "show|export"},
    {"keepassxc-cli", "show|export|clip|attachment-export"},
    {"secret-tool", "lookup|search"},
    {"kwallet-query keyring", "", "-r|get"},
    {"security", "find-generic-password|find-internet-password|dump-keychain|export"},
    {"gpg gpg2", "", "--export-secret-keys|--export-secret-subkeys|--export-secret-key"},
    {"vault", "kv get"},
    {"vault", "read|unwrap"},
    {"vault", "token create|lookup"},
    {"aws", "secretsmanager get-secret-value|batch-get-secret-value"},
    {"aws", "ssm get-parameter|get-parameters|get-parameters-by-path|get-parameter-history",
     "--with-decryption"},
    {"aws", "kms decrypt"},
    {"aws", "configure export-credentials"},
    {"aws", "configure get aws_secret_access_key|aws_session_token"},
    {"gcloud", "secrets versions access"},
    {"gcloud", "kms decrypt"},
    {"az", "keyvault secret|key|certificate show|download"},
    {"az", "storage|cosmosdb|redis|acr account|keys|credential keys|list|show"},
    {"kubectl oc k", "config view", "--raw|--flatten"},
    {"kubectl oc k", "proxy"},
    {"heroku", "config|config:get"},
    {"vercel", "env pull"},
    {"netlify", "env:list|env:get"},
    {"railway", "variables"},
    {"doppler", "secrets"},
    {"infisical", "export|secrets"},
    {"pulumi", "config|stack", "--show-secrets"},
    {"pulumi", "config get", "--secret"},
    {"chamber", "read|export|env"},
    {"sops", "", "-d|--decrypt"},
    {"sops", "decrypt"},
    {"ansible-vault", "view|decrypt"},
    {"git", "credential fill"},
    {"git-credential-store git-credential-cache git-credential-libsecret git-credential-manager",
     "get"},
    {"gh glab", "auth token"},
    {"gh", "auth status", "-t|--show-token"},
    {"credstash", "get|getall"},
    {"terraform tofu", "state pull"},
    {"nmcli", "", "-s|--show-secrets"},
    {"wg", "showconf"},
    {"ssh-keygen", "", "-e"},
    {"age rage", "", "-d|--decrypt"},
    {"npm", "token create"},
    {"docker-credential-desktop docker-credential-secretservice docker-credential-pass", "get"},
    {"keyctl", "print|pipe"},
    {"fly flyctl", "auth token"},
    {"fly flyctl", "tokens create"},
    {"heroku", "auth:token"},
    {"oc", "whoami", "-t|--show-token"},
    {"rbw dcli bws", "get|password|note|secret"},
    {"passage", "show"},
    {"teller", "env|show|export|sh|yaml|json"},
    {"berglas", "access"},
    {"bw", "unlock", "--raw"},
    {"aws-vault", "export"},
    {"saml2aws", "script"},
    {"argocd", "account generate-token"},
    {"argocd", "admin initial-password"},
    {"consul nomad", "acl token read|create|self"},
    {"cf", "oauth-token"},
    {"ibmcloud", "iam oauth-tokens"},
    {"firebase", "functions:config:get|functions:secrets:access|login:ci"},
    {"databricks", "tokens create"},
    {"ykman", "oath accounts code"},
    {"git", "credential-store|credential-osxkeychain|credential-manager|credential-cache get"},
    {"az", "webapp|functionapp deployment|keys list-publishing-credentials|list"},
    {"az", "storage account show-connection-string|generate-sas"},
    {"az", "acr login", "--expose-token"},
    {"gcloud", "iam service-accounts keys create"},
    {"doctl", "databases connection"},
    {"hcloud", "context active", "--show-token"},
    {"stripe", "config", "--list"},
    {"mimipenguin laZagne lazagne hashdump mimikatz", ""},
};

// Programs that make a token for one use and print it.
constexpr Keeper kTokenMakers[] = {
    {"gcloud", "auth print-access-token|print-identity-token"},
    {"gcloud", "auth application-default print-access-token"},
    {"gcloud", "sql generate-login-token"},
    {"az", "account get-access-token"},
    {"aws",
     "sts get-session-token|assume-role|get-federation-token|assume-role-with-web-identity|"
     "assume-role-with-saml"},
    {"aws", "ecr get-login-password|get-authorization-token"},
    {"aws", "ecr-public get-login-password|get-authorization-token"},
    {"aws", "codeartifact get-authorization-token"},
    {"aws", "eks get-token"},
    {"aws", "rds generate-db-auth-token"},
    {"aws", "sso get-role-credentials"},
    {"kubectl oc k", "create token"},
    {"databricks", "auth token"},
    {"yc", "iam create-token"},
    {"doctl", "registry docker-config"},
    {"doctl", "auth token"},
    {"aws-iam-authenticator", "token"},
    {"gke-gcloud-auth-plugin", ""},
    {"kubelogin", "get-token"},
    {"step", "ca token"},
    {"gitlab", "token create"},
    {"azd", "auth token"},
};

bool is_one(const NameIndex<Keeper>& keepers, const Arguments& arguments) {
  return std::ranges::any_of(keepers.find(arguments.command.program), [&](const Keeper* keeper) {
    return arguments.begins(keeper->verbs) &&
           (keeper->flags.empty() || arguments.has(keeper->flags)) && !arguments.has("--help");
  });
}

}  // namespace

VerbKind verb_kind(std::string_view word) {
  word = word.substr(word.find_last_of(':') + 1);
  std::string_view rest = word;
  std::string_view verb = next_word(rest, '-');
  if (among(verb, kAdverbs) && !rest.empty()) verb = next_word(rest, '-');
  verb = verb.substr(0, verb.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"));  // deleteSite
  if (among(verb, kChanges)) return VerbKind::changes;
  if (among(verb, kLooks)) return VerbKind::looks;
  // service-instance-delete
  const std::size_t dash = word.find_last_of('-');
  if (dash != std::string_view::npos && among(word.substr(dash + 1), "delete destroy remove")) {
    return VerbKind::changes;
  }
  return VerbKind::unknown;
}

VerbKind first_verb(const Arguments& arguments, std::string_view free) {
  constexpr std::size_t kMostWords = 5;
  const auto& words = arguments.operands();
  for (std::size_t i = 0; i < std::min(words.size(), kMostWords); ++i) {
    if (among(words[i]->text, free)) return VerbKind::looks;
    const VerbKind kind = verb_kind(words[i]->text);
    if (kind != VerbKind::unknown) return kind;
  }
  return VerbKind::unknown;
}

bool only_rehearses(const Arguments& arguments) {
  if (arguments.command.words.back().text == "-h") return true;  // else it may be a host
  return arguments.any_word([](std::string_view word) {
    if (word.starts_with("--dry-run="))
      return !word.ends_with("=none") && !word.ends_with("=false");
    return among(
        word,
        "--dry-run --dryrun --help help --version --simulate --just-print --no-act "
        "--what-if --noop --check --diff-only --no-execute-changeset --list-tasks "
        "--list-hosts --syntax-check --no-changes --recon --preview --plan --validate-only "
        "test=True --sql");
  });
}

bool names_secret_verb(const Arguments& arguments) {
  const std::string& program = arguments.command.program;
  if (program == "pass" && arguments.operands().size() == 1 &&
      !among(arguments.verb(0), "ls list init git help version find search generate insert edit")) {
    return true;
  }
  if (among(program, "kubectl oc k") && arguments.begins("get") &&
      arguments.verb(1).contains("secret")) {
    const auto forms = option_values(arguments.command, 'o', "output");
    const bool only_names = std::ranges::all_of(
        forms, [](const SeenWord& word) { return among(word.text, "name wide"); });
    return !only_names || arguments.has("--template|--raw");
  }
  static const NameIndex<Keeper> keepers(kKeepers, &Keeper::programs);
  return is_one(keepers, arguments);
}

bool makes_token(const Arguments& arguments) {
  static const NameIndex<Keeper> makers(kTokenMakers, &Keeper::programs);
  return is_one(makers, arguments) && !arguments.has("-h");
}

}  // namespace talaria::guard
