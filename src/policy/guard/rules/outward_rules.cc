// What reaches others: messages, uploads of data, many tickets at once, tasks on their machines.
#include <algorithm>
#include <string>

#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/sending.h"
#include "policy/guard/rules/verbs.h"

namespace talaria::guard {
namespace {

bool is_meant(const Arguments& arguments) { return !only_rehearses(arguments); }

// --- messages

// Pieces of addresses at which a message for people is taken.
constexpr std::string_view kMessageAddresses[] = {"://hooks.",
                                                  "://hook.",
                                                  "/webhooks/",
                                                  "/webhook/",
                                                  "/webhookb2/",
                                                  "/hooks/",
                                                  "webhook.office.com",
                                                  "chat.googleapis.com",
                                                  "api.pushover.net",
                                                  "api.pushbullet.com",
                                                  "://ntfy.",
                                                  "api.postmarkapp.com",
                                                  "api.mailjet.com",
                                                  "api.brevo.com",
                                                  "api.sendinblue.com",
                                                  "api.resend.com",
                                                  "maker.ifttt.com",
                                                  "open.feishu.cn",
                                                  "open.larksuite.com",
                                                  "qyapi.weixin.qq.com",
                                                  "oapi.dingtalk.com",
                                                  "api.line.me",
                                                  "/_matrix/client/",
                                                  "api.sparkpost.com",
                                                  "graph.facebook.com",
                                                  "api.elasticemail",
                                                  "rest.nexmo.com",
                                                  "api.vonage.com",
                                                  "api.plivo.com",
                                                  "api.messagebird",
                                                  "webexapis.com",
                                                  "api.zulip",
                                                  "api.mandrillapp",
                                                  "events.pagerduty.com",
                                                  "email.amazonaws.com",
                                                  "api.telegram.org",
                                                  "/bot/sendMessage",
                                                  "/sendMessage",
                                                  "chat.postMessage"};

bool has_body(const Arguments& arguments) {
  return arguments.has(
      "-d|--data*|-F|--form*|-T|--upload-file|--post-file*|--post-data*|--body-file*|--body-data*|"
      "--json|--raw*");
}

bool is_post(const Arguments& arguments) {
  return has_body(arguments) || arguments.any_word([](std::string_view word) {
    return among(lower_case(word), "post put -xpost --request=post --method=post");
  });
}

// {"text": "…"} to an address that is not known: $SLACK_WEBHOOK_URL
bool is_chat_text(std::string_view word) {
  if (word.starts_with("payload=")) word.remove_prefix(8);
  if (word.starts_with("--data=") || word.starts_with("--json=")) word.remove_prefix(7);
  std::string text;
  for (const char c : word.substr(0, 40)) {
    if (c != ' ' && c != '\\' && c != '\n') text += c;
  }
  for (const std::string_view start :
       {"{\"text\":", "{\"content\":", "{\"channel\":", "{\"blocks\":", "{\"attachments\":",
        "{\"msgtype\":", "{\"chat_id\":", "{\"embeds\":", "{'text':"}) {
    if (text.starts_with(start)) return true;
  }
  return false;
}

bool posts_message(const Arguments& arguments) {
  if (!is_post(arguments)) return arguments.has("--mail-rcpt*|--mail-from*");
  bool unknown = false;
  for (const SeenWord* word : arguments.operands()) {
    const std::string_view text = word->text;
    if (text == std::string_view(&kUnknownPiece, 1)) unknown = true;
    if (!text.contains("://") || is_this_machine(text)) continue;
    const bool known = std::ranges::any_of(
        kMessageAddresses, [&](std::string_view piece) { return text.contains(piece); });
    if (known) return true;
  }
  return arguments.has("--mail-rcpt*|--mail-from*") ||
         (unknown && arguments.any_word(is_chat_text));
}

// MAIL FROM on the input of nc
bool talks_to_mail_server(const Arguments& arguments) {
  const auto& text = arguments.command.input.text;
  if (!text || talks_to_this_machine(arguments) || is_this_machine(arguments.verb(0))) return false;
  const std::string lower = lower_case(*text);
  return lower.contains("mail from:") || lower.contains("rcpt to:");
}

// --- uploads

// Names of files with data about people or of a business.
bool is_data(std::string_view path) {
  std::string name = lower_case(path);
  if (name.find_first_of(" {};=") != std::string::npos) return false;
  for (const std::string_view packed : {".gz", ".zip", ".xz", ".zst", ".bz2", ".gpg"}) {
    if (name.ends_with(packed)) name.resize(name.size() - packed.size());
  }
  for (const std::string_view ending :
       {".sql", ".dump", ".sqlite", ".sqlite3", ".db", ".mbox", ".pst", ".rdb", ".bson"}) {
    if (name.ends_with(ending)) return true;
  }
  const std::string_view file = base_name(name);
  const std::string_view ending = file.substr(std::min(file.find_last_of('.'), file.size()));
  const bool table = among(ending, ".csv .xlsx .xls .parquet .tsv .jsonl .ndjson .ods");
  const bool text = table || among(ending, ".json .pdf .docx .doc .txt .xml .odt .vcf");
  const auto names = [&](std::string_view marks) {
    while (!marks.empty()) {
      if (file.contains(next_word(marks))) return true;
    }
    return false;
  };
  return (text && names("customer payroll salar invoice patient confidential employee medical "
                        "clients userdata contacts")) ||
         (table && names("user order export account contact lead subscriber member transaction "
                         "payment email"));
}

bool sends_data(const Arguments& arguments) {
  return is_meant(arguments) && !arguments.has("--dryrun|-n") &&
         sends_word_that(arguments, is_data);
}

// put x, mput *: of a batch for sftp, ftp, lftp, smbclient
bool puts_data(const Arguments& arguments) {
  if (talks_to_this_machine(arguments)) return false;
  const auto in_text = [](std::string_view text) {
    while (!text.empty()) {
      std::string_view line = next_word(text, '\n');
      while (!line.empty()) {
        std::string_view order = trim(next_word(line, ';'));
        const std::string_view verb = next_word(order);
        if (!among(verb, "put mput reput -put")) continue;
        while (!order.empty()) {
          const std::string_view file = next_word(order);
          if (is_data(file) || file.contains('*')) return true;
        }
      }
    }
    return false;
  };
  return arguments.any_word(in_text) ||
         (arguments.command.input.text && in_text(*arguments.command.input.text));
}

// Programs that put something where others, or a service, have it.
struct Uploader {
  std::string_view programs;
  std::string_view verbs;
};
constexpr Uploader kUploaders[] = {
    {"huggingface-cli hf", "upload|upload-large-folder|lfs-multipart-upload"},
    {"huggingface-cli hf", "repo|repos|tag|repo-files create|delete|settings|move|tag"},
    {"wandb", "sync|artifact"},
    {"neptune comet clearml-data", "sync|upload|add|close"},
    {"mlflow", "artifacts log-artifact|log-artifacts"},
    {"kaggle",
     "datasets|d|kernels|k|models|m|competitions|c create|version|push|submit|init|delete"},
    {"ia osf figshare zenodo zenodo_upload dataverse", "upload|delete|create"},
    {"gdrive drive gdrive3", "upload|push|share|files|import|sync|delete"},
    {"dropbox_uploader dropbox_uploader.sh dbxcli", "upload|put|share|delete|rm"},
    {"mega-put megaput mega-export megacopy mega-sync youtube-upload rapidgator gupload", ""},
    {"ollama", "push"},
    {"butler", "push"},
    {"web-ext", "sign|submit"},
    {"chrome-webstore-upload chrome-webstore-upload-cli", ""},
    {"jf jfrog", "rt upload|u|delete|del|move|mv|copy|cp|set-props|build-publish|bp"},
    {"cloudsmith package_cloud packagecloud", "push|delete|yank|move|copy"},
    {"aptly", "publish"},
    {"xcrun", "altool|notarytool|iTMSTransporter"},
    {"altool notarytool", ""},
    {"replicate cog", "push|create"},
    {"rsconnect", "deploy|write-manifest|add"},
    {"git-annex", "sync|export|copy|move"},
    {"lakectl", "fs|commit|merge|branch upload|rm|delete"},
    {"roboflow label-studio", "upload|deploy|import"},
    {"datalad", "push|drop|remove"},
    {"sendgb transfersh", ""},
    {"asciinema", "upload"},
};
constexpr std::string_view kUploadPrograms =
    "huggingface-cli hf wandb neptune comet clearml-data mlflow kaggle ia osf figshare zenodo "
    "zenodo_upload dataverse gdrive drive gdrive3 dropbox_uploader dropbox_uploader.sh dbxcli "
    "mega-put megaput mega-export megacopy mega-sync youtube-upload rapidgator gupload ollama "
    "butler web-ext chrome-webstore-upload chrome-webstore-upload-cli jf jfrog cloudsmith "
    "package_cloud packagecloud aptly xcrun altool notarytool dvc replicate cog rsconnect "
    "git-annex lakectl roboflow label-studio datalad sendgb transfersh asciinema";

bool uploads(const Arguments& arguments) {
  if (!is_meant(arguments) || among(arguments.verb(1), "status list ls history log info get")) {
    return false;
  }
  if (arguments.command.program == "wandb" && arguments.begins("artifact")) {
    return arguments.verb(1) == "put";
  }
  return std::ranges::any_of(kUploaders, [&](const Uploader& one) {
    return among(arguments.command.program, one.programs) && arguments.begins(one.verbs);
  });
}

// --- trackers

// gh issue close, for each line or each turn of a loop
bool changes_many(const Arguments& arguments) {
  const std::string& by = arguments.command.run_by;
  const bool each = among("xargs", by) || among("parallel", by) || among("find", by);
  if (!each && arguments.command.once) return false;
  const bool ends = arguments.begins(
      "issue|issues|pr|mr|label|milestone|release|run|task|ticket|card|epic "
      "close|edit|update|lock|unlock|delete|transfer|reopen|merge|move|transition|assign|cancel|"
      "archive|resolve|done|unassign|pin|rm|remove");
  return ends || (each && arguments.begins("issue|issues|pr|mr|label|task|ticket "
                                           "create|comment|note|review|approve|add|ready"));
}

// --- tasks on other machines

bool is_harmless_task(std::string_view task) {
  task = task.substr(0, task.find_first_of(":="));
  task = task.substr(task.find_last_of('.') + 1);
  return verb_kind(task) == VerbKind::looks ||
         among(task, "uptime uname hostname tests lint build docs clean whoami date ping");
}

bool is_delivery(std::string_view task) {
  for (const std::string_view start :
       {"deploy", "release", "publish", "provision", "restart", "rollback", "migrate", "upgrade",
        "bootstrap", "reboot", "shutdown", "destroy"}) {
    if (task.starts_with(start) || task.contains("." + std::string(start)) ||
        task.contains(":" + std::string(start))) {
      return true;
    }
  }
  return false;
}

// fab -H a,b deploy; fab deploy
bool runs_task(const Arguments& arguments) {
  const auto is_dashes = [](std::string_view word) { return word == "--"; };
  if (!is_meant(arguments) || arguments.any_word(is_dashes))
    return false;  // a command: it is judged
  if (arguments.has("-l|--list|-d|--display|-V")) return false;
  const bool hosts = arguments.has("-H|--hosts*|-R|--roles*");
  return arguments.any_operand([&](const SeenWord& word) {
    return is_delivery(word.text) || (hosts && !is_harmless_task(word.text));
  });
}

// cap staging deploy, dep deploy production
bool delivers(const Arguments& arguments) {
  return is_meant(arguments) && !arguments.has("-T|--tasks|-n|-P|-D") &&
         arguments.any_operand([](const SeenWord& word) { return is_delivery(word.text); });
}

constexpr auto kOutwardRules = only_ours(std::to_array<Rule>({
    {.key = "message sent in the person's name",
     .programs = "curl wget http https xh curlie",
     .when = posts_message,
     .yes = {"curl -X POST -d '{\"text\":\"x\"}' https://hooks.slack.example/services/T0/B0/X",
             "curl -d '{\"text\": \"x\"}' \"$SLACK_WEBHOOK_URL\"",
             "curl --mail-rcpt a@h.example smtp://h.example -T m.txt",
             "curl -d hi https://ntfy.sh/topic"},
     .no = {"curl https://hooks.slack.com/x", "curl -d '{\"name\":\"x\"}' \"$URL\"",
            "curl -d '{\"text\":\"x\"}' http://localhost:3000/webhooks/x"}},
    {.key = "message sent in the person's name",
     .programs = "nc ncat netcat telnet openssl socat",
     .when = talks_to_mail_server,
     .yes = {"nc smtp.example.com 25 <<'E'\nMAIL FROM:<a@h>\nRCPT TO:<b@h>\nE"},
     .no = {"nc localhost 1025 <<'E'\nMAIL FROM:<a@h>\nE", "nc -zv h.example 25"}},
    {.key = "message sent in the person's name",
     .programs = "apprise sendemail ssmtp himalaya mailsend nail sendxmpp yowsup-cli wacli imsg "
                 "gammu-smsd-inject termux-sms-send discord.sh discord-webhook slack-cli "
                 "pushover zulip-send mattermost-cli blat mailsend-go smtp-cli twidge tweet bsky",
     .when =
         [](const Arguments& a) {
           return a.command.words.size() > 1 && !a.has("--help|--version|-V") &&
                  !among(a.verb(0), "list envelope folder account timeline whoami");
         },
     .yes = {"apprise -b x slack://a/b/c", "himalaya send < m.txt"},
     .no = {"apprise --version", "himalaya list"}},
    {.key = "data sent to another place",
     .programs = kSendingPrograms,
     .when = sends_data,
     .why = "sends data about people or of a business",
     .yes = {"scp exports/customers.csv partner@h.example:in/",
             "aws s3 cp backup.sql.gz s3://bucket/", "curl -F f=@users.csv https://h.example/up"},
     .no = {"scp dist/app.tgz host:", "aws s3 cp s3://bucket/backup.sql .", "scp h:x.sql .",
            "curl -F f=@users.csv http://localhost:3000/up"}},
    {.key = "data sent to another place",
     .programs = "sftp ftp lftp ncftp tnftp smbclient psftp",
     .when = puts_data,
     .yes = {"sftp -b - a@h.example <<E\ncd in\nput exports/customers.csv\nE",
             "lftp -e 'mput *; bye' h.example"},
     .no = {"sftp a@h.example", "sftp -b - a@h.example <<E\nget x.csv\nE",
            "sftp -b - a@h.example <<E\nput dist/app.tgz\nE"}},
    {.key = "upload to a service",
     .programs = kUploadPrograms,
     .when = uploads,
     .yes = {"huggingface-cli upload acme/m ./checkpoints", "kaggle datasets version -p . -m x",
             "wandb sync run-1", "ollama push me/x"},
     .no = {"huggingface-cli download gpt2", "kaggle datasets list", "wandb login", "ollama pull x",
            "dvc push"}},
    {.key = "many tickets changed at once",
     .programs = "gh glab tea hub jira acli linear trello asana clickup todoist",
     .when = changes_many,
     .yes = {"gh issue list -q '.[].number' | xargs -n1 gh issue close",
             "for i in 1 2 3; do gh issue edit $i --add-label x; done"},
     .no = {"gh issue close 12", "for i in 1 2; do gh pr view $i; done",
            "gh pr list | xargs -n1 gh pr view"}},
    {.key = "change of many machines",
     .programs = "fab",
     .when = runs_task,
     .yes = {"fab -H app1,app2 deploy:branch=main", "fab deploy", "fab -H h restart"},
     .no = {"fab --list", "fab -H h -- uptime", "fab test", "fab -H h status"}},
    {.key = "deployment to production",
     .programs = "cap capistrano mina dep deployer kamal rex shipit ecspresso werf nx-deploy",
     .when = delivers,
     .yes = {"cap staging deploy", "dep deploy production", "kamal app deploy"},
     .no = {"cap -T", "kamal version", "cap staging doctor"}},
    {.key = "change of many machines",
     .programs = "pyinfra",
     .when =
         [](const Arguments& a) {
           return is_meant(a) && !a.has("--dry") && a.operands().size() > 1 &&
                  !among(a.verb(1), "fact debug-inventory exec");
         },
     .yes = {"pyinfra inventory.py deploy.py", "pyinfra web1.example.com apt.packages x"},
     .no = {"pyinfra --dry inventory.py deploy.py", "pyinfra web1 fact server.Os"}},
}));

}  // namespace

std::span<const Rule> outward_rules() { return kOutwardRules; }

}  // namespace talaria::guard
