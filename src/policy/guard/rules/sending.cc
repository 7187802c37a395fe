#include "policy/guard/rules/sending.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/secret_name.h"
#include "base/text.h"
#include "policy/guard/rules/destinations.h"
#include "policy/guard/rules/verbs.h"

namespace talaria::guard {
namespace {

// Which options name what a program sends.
enum class Payload {
  marked,   // words with a mark: @file, name=@file, name=<file, and values of its options
  sources,  // every operand but the last, if the last is at another place
  words,    // every word
  input,    // its standard input alone
};

struct Sender {
  std::string_view programs;
  Payload payload;
  std::string_view verbs = {};    // one of these sub-commands
  std::string_view options = {};  // options whose value is sent, of `marked`
};
constexpr Sender kSenders[] = {
    {"curl", Payload::marked, "", "-T --upload-file"},
    {"wget", Payload::marked, "", "--post-file --body-file"},
    {"http https xh curlie", Payload::marked},
    {"scp rsync pscp unison", Payload::sources},
    {"sftp lftp ncftpput ftp tftp", Payload::words},
    {"rclone", Payload::sources, "copy|copyto|move|moveto|sync|bisync|rcat"},
    {"aws", Payload::sources, "s3 cp|mv|sync"},
    {"aws", Payload::words, "s3api put-object"},
    {"gsutil", Payload::sources, "cp|mv|rsync"},
    {"gcloud", Payload::sources, "storage cp|mv|rsync"},
    {"mc", Payload::sources, "cp|mv|mirror|pipe"},
    {"s3cmd s5cmd", Payload::sources, "put|sync|cp"},
    {"azcopy", Payload::sources, "copy|sync|cp"},
    {"b2", Payload::words, "upload-file|upload_file|sync|file"},
    {"az", Payload::words, "storage blob|file|fs upload|upload-batch"},
    {"gh glab", Payload::words, "gist|release|snippet create|upload"},
    {"gh glab jira", Payload::words, "issue|pr|mr create|new|comment|note|edit|review"},
    {"git", Payload::input, "commit|tag|notes"},
    {"croc wormhole ffsend ipfs", Payload::words, "send|upload|add"},
    {"pastebinit gist slackcat transfer telegram-send wgetpaste mpack wsend imgur-uploader filebin "
     "0x0",
     Payload::words},
    {"mail mailx mutt neomutt sendmail swaks msmtp s-nail smbclient signal-cli matrix-commander "
     "slack "
     "telegram-cli toot",
     Payload::words},
    {"nc ncat netcat socat telnet ssh", Payload::input},
    {"openssl", Payload::input, "s_client"},
};

// Options whose value is read, not sent: keys to log in with, where the answer goes.
constexpr std::string_view kOwnOptions =
    "-i --identity -E --cert --key --cacert --capath -K --config -o --output -O --output-document "
    "-P -b --cookie -c --cookie-jar --netrc-file --ssh-key --private-key -J --proxy-cert "
    "--dump-header -D --password-file --exclude-from --include-from --files-from --log-file "
    "--credentials-file --profile --ca-certificate --certificate --private-key --load-cookies "
    "--save-cookies";

// The path in @file, name=@file, name=<file, file://path and --option=path.
std::string_view path_in(std::string_view word) {
  for (const std::string_view scheme : {"fileb://", "file://"}) {
    const std::size_t at = word.find(scheme);
    if (at != std::string_view::npos) return word.substr(at + scheme.size());
  }
  const std::size_t mark = word.find_first_of("@<");
  if (mark != std::string_view::npos && (mark == 0 || !word.substr(0, mark).contains(':'))) {
    word = word.substr(mark + 1);
  } else if (word.starts_with("--") && word.contains('=')) {
    word = word.substr(word.find('=') + 1);
  }
  word = word.substr(0, word.find(";type="));
  while (word.starts_with('"')) word.remove_prefix(1);
  while (word.ends_with('"')) word.remove_suffix(1);
  return word;
}

std::string_view host_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  url.remove_prefix(std::min(url.find('@') + 1, url.size()));
  if (url.starts_with('[')) return url.substr(1, std::min(url.find(']'), url.size()) - 1);
  return url.substr(0, url.find(':'));
}

bool is_marked(std::string_view word) {
  const std::size_t mark = word.find_first_of("@<");
  if (mark == std::string_view::npos || word.contains("://")) return false;
  return mark == 0 || word[mark - 1] == '=' || (mark > 0 && !word.substr(0, mark).contains('.'));
}

bool is_at_another_place(std::string_view path) {
  return is_remote(path) || path.contains("://") || path.starts_with("remote:");
}

std::vector<SeenWord> payload_words(const Arguments& arguments, const Sender& sender) {
  const SeenCommand& command = arguments.command;
  std::vector<SeenWord> words;
  if (sender.payload == Payload::sources) {
    for (const SeenWord* word : arguments.operands()) {
      if (is_at_another_place(word->text)) return words;  // what stands before it goes there
      words.push_back(*word);
    }
    return {};
  }
  if (sender.payload == Payload::input) return words;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (sender.payload != Payload::words && among(word, kOwnOptions)) {
      ++i;
      continue;
    }
    // -T file, -sT file, -Tfile
    const bool letters = word.size() > 2 && word[0] == '-' && word[1] != '-';
    const bool clustered = letters && !sender.options.empty() && sender.options.starts_with('-') &&
                           sender.options[1] != '-' && word.back() == sender.options[1];
    const bool valued = (among(word, sender.options) || clustered) && i + 1 < command.words.size();
    if (letters && sender.options.starts_with(word.substr(0, 2))) {
      words.push_back({std::string(word.substr(2))});
    } else if (valued) {
      words.push_back({command.words[++i].text});
    } else if (sender.payload == Payload::words || is_marked(word) || word.starts_with("--post-") ||
               word.starts_with("--body-file=") || word.starts_with("--upload-file=")) {
      // the command of an `sftp -b - <<< 'put x'` is one word
      for (std::string_view rest = word; !rest.empty();) {
        words.push_back({std::string(path_in(next_word(rest)))});
      }
    }
  }
  return words;
}

const Sender* find_sender(const Arguments& arguments) {
  const auto* const found = std::ranges::find_if(kSenders, [&](const Sender& one) {
    return among(arguments.command.program, one.programs) && arguments.begins(one.verbs);
  });
  return found == std::end(kSenders) ? nullptr : found;
}

// A text on its input may name files, too: put ~/.kube/config
bool input_names_private(const Arguments& arguments) {
  if (!among(arguments.command.program, "sftp lftp ftp tftp") || !arguments.command.input.text) {
    return false;
  }
  std::string text = *arguments.command.input.text;
  std::ranges::replace(text, '\n', ' ');
  for (std::string_view rest = text; !rest.empty();) {
    if (is_not_to_be_sent(arguments, {std::string(next_word(rest))})) return true;
  }
  return false;
}

// Programs that print, copy or pack what their words name.
constexpr std::string_view kReaders =
    "cat bat less more head tail tac nl xxd hexdump od base64 base32 strings grep egrep fgrep rg "
    "awk gawk sed cut sort uniq tar zip gzip bzip2 xz zstd 7z gpg openssl cp jq yq tee dd split "
    "paste fold rev basenc uuencode sqlite3 find git bzcat zcat docker kubectl podman ls tree diff "
    "cmp "
    "cpio pax 7za 7zz rar";

// Programs that print what nobody else should get: databases, variables, what was copied.
constexpr std::string_view kPrivatePrinters =
    "pg_dump pg_dumpall mysqldump mariadb-dump mongodump mongoexport env printenv set history ps "
    "xclip xsel wl-paste pbpaste";

// env A=b make
bool runs_another(const Arguments& arguments) {
  return arguments.command.program == "env" &&
         arguments.any_operand([](const SeenWord& word) { return !word.text.contains('='); });
}

// Of names that stand for no service: API_TOKEN, CLIENT_SECRET, ADMIN_PASSWORD.
constexpr std::string_view kCommonWords =
    "access account admin api app auth basic bearer bot client credential credentials http https "
    "id "
    "jwt key login my oauth pass passphrase passwd password private pwd refresh secret service "
    "session test token user";

bool any_name_word(std::string_view name, const std::function<bool(std::string_view)>& test) {
  const std::string lower = lower_case(name);
  for (std::string_view rest = lower; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of("_-"), rest.size());
    if (end > 0 && test(rest.substr(0, end))) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// GITHUB_TOKEN belongs to api.github.com.
bool is_of_host(std::string_view variable, const Arguments& arguments) {
  return any_name_word(variable, [&](std::string_view word) {
    return word.size() > 2 && !among(word, kCommonWords) &&
           arguments.any_word([&](std::string_view url) {
             return url.contains('.') && lower_case(host_of(url)).contains(word);
           });
  });
}

// What stands before one of its unknown pieces says what that is: token=…, "password": "…".
bool is_named_as_secret(std::string_view text) {
  for (std::size_t at = text.find(kUnknownPiece); at != text.npos;
       at = text.find(kUnknownPiece, at + 1)) {
    std::string_view before = text.substr(0, at);
    while (!before.empty() && std::string_view("\"'=:\\ ").contains(before.back())) {
      before.remove_suffix(1);
    }
    const std::size_t begin = before.find_last_of("\"'&?,{ ;\\");
    const std::string_view name = before.substr(begin == before.npos ? 0 : begin + 1);
    if (secret_name(name) != SecretName::none || among(lower_case(name), "appid pwd key auth")) {
      return true;
    }
  }
  return false;
}

// NAME: value, of a header that a service knows a client by.
bool is_login_header(std::string_view header) {
  const std::string name = lower_case(header.substr(0, header.find(':')));
  return name.size() < header.size() &&
         (name.contains("auth") || name.contains("token") || name.contains("key") ||
          name.contains("cookie") || name.contains("secret"));
}

// -u, --user, --auth-password
bool is_login_option(std::string_view program, std::string_view name) {
  if (!name.starts_with("--")) {
    return (program == "curl" && among(name, "-u -b")) ||
           (among(program, "http https xh curlie") && name == "-a");
  }
  return among(name, "--user --oauth2-bearer --auth --cookie --proxy-user") ||
         name.contains("pass") || name.contains("token") || name.contains("key") ||
         name.contains("auth-");
}

// An option or a header that a client logs in by, or the user in an address.
bool logs_in_by(const SeenCommand& command, std::size_t at) {
  const std::string_view word = command.word(at);
  const std::string_view option = command.word(at - 1);
  if (is_login_option(command.program, option)) return true;
  if (among(option, "-H --header")) return is_login_header(word);
  for (const std::string_view attached : {"-H", "--header="}) {
    if (word.starts_with(attached)) return is_login_header(word.substr(attached.size()));
  }
  if (word.starts_with("--"))
    return is_login_option(command.program, word.substr(0, word.find('=')));
  if (word.contains("://")) {
    const std::size_t user = word.find('@');
    return user < word.find('/', word.find("://") + 3) && word.rfind(kUnknownPiece) < user;
  }
  const bool item = word.find(':') < word.find('=');  // http GET URL 'Authorization:Bearer …'
  return among(command.program, "http https xh curlie") && item && is_login_header(word);
}

// echo "$DB_PASSWORD" | …
bool prints_variable(const SeenCommand& command) {
  return among(command.program, "echo printf") &&
         std::ranges::any_of(command.words,
                             [](const SeenWord& word) { return !word.secret.empty(); });
}

}  // namespace

bool sends_secret_variable(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  const bool asks_names = among(command.program, "dig nslookup host ping drill");
  if (!asks_names && find_sender(arguments) == nullptr) return false;
  if (talks_to_this_machine(arguments)) return false;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const SeenWord& word = command.words[i];
    if (word.secret.empty()) continue;
    if (asks_names) return true;
    if (logs_in_by(command, i) || is_of_host(word.secret, arguments)) continue;
    const bool common = !any_name_word(
        word.secret, [](std::string_view part) { return !among(part, kCommonWords); });
    if (!common || !is_named_as_secret(word.text)) return true;
  }
  return false;
}

bool is_this_machine(std::string_view url) {
  const std::string_view host = host_of(url);
  return host == "localhost" || host == "0.0.0.0" || host == "::1" || host.starts_with("127.") ||
         host.ends_with(".localhost");
}

bool is_local_host(std::string_view url) {
  const std::string_view host = host_of(url);
  return is_this_machine(url) || !host.contains('.') || host.starts_with("192.168.") ||
         host.ends_with(".local") || host.ends_with(".test") || host == "host.docker.internal";
}

bool talks_to_this_machine(const Arguments& arguments) {
  bool any = false;
  for (const SeenWord* word : arguments.operands()) {
    const std::string_view text = word->text;
    if (!text.contains("://") && !is_this_machine(text)) continue;
    if (!is_this_machine(text)) return false;
    any = true;
  }
  return any;
}

bool is_not_to_be_sent(const Arguments& arguments, const SeenWord& word) {
  if (word.text.empty() || word.text.contains("://") || word.text.ends_with(".pub")) return false;
  const std::size_t colon = is_remote(word.text) ? word.text.find(':') + 1 : 0;
  const std::string path = arguments.resolved({word.text.substr(colon)}).text;
  return arguments.paths.is_private(path) || arguments.paths.is_foreign(path);
}

bool sends_words(const Arguments& arguments) {
  const Sender* const sender = find_sender(arguments);
  if (sender == nullptr || talks_to_this_machine(arguments)) return false;
  const auto bad = [&](const SeenWord& word) { return is_not_to_be_sent(arguments, word); };
  const bool redirected =
      std::ranges::any_of(arguments.command.redirects, [&](const SeenRedirect& redirect) {
        return redirect.kind == ShellRedirect::Kind::input && bad(redirect.target);
      });
  return redirected || input_names_private(arguments) ||
         std::ranges::any_of(payload_words(arguments, *sender), bad);
}

bool sends_one_of(const Arguments& arguments, const std::set<std::string>& names) {
  const Sender* const sender = find_sender(arguments);
  if (names.empty() || sender == nullptr || talks_to_this_machine(arguments)) return false;
  return std::ranges::any_of(payload_words(arguments, *sender), [&](const SeenWord& word) {
    return names.contains(std::string(base_name(word.text)));
  });
}

bool sends_word_that(const Arguments& arguments, bool (*test)(std::string_view path)) {
  const Sender* const sender = find_sender(arguments);
  if (sender == nullptr || talks_to_this_machine(arguments)) return false;
  return std::ranges::any_of(payload_words(arguments, *sender), [&](const SeenWord& word) {
    return !is_at_another_place(word.text) && test(word.text);
  });
}

bool sends_input(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  const Sender* const sender = find_sender(arguments);
  if (sender == nullptr || talks_to_this_machine(arguments)) return false;
  const bool fed =
      command.input.kind == SeenInput::Kind::pipe || command.input.kind == SeenInput::Kind::process;
  if (!fed) return false;
  if (sender->payload == Payload::input || sender->payload == Payload::words) return true;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    const bool input =
        word == "-" || word.ends_with("@-") || word.ends_with("<-") || word.ends_with("=-");
    if (input && !among(command.word(i - 1), "-K --config")) return true;
  }
  return false;
}

bool sends_redirected(const Arguments& arguments) {
  const Sender* const sender = find_sender(arguments);
  return sender != nullptr && !talks_to_this_machine(arguments) &&
         (sender->payload == Payload::input || sender->payload == Payload::words);
}

bool sends_printed(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  const bool asks_names = among(command.program, "dig nslookup host ping drill");
  if (!asks_names && (find_sender(arguments) == nullptr || talks_to_this_machine(arguments))) {
    return false;
  }
  return !command.substituted.empty() ||
         std::ranges::any_of(command.words, [](const SeenWord& word) { return !word.known(); });
}

bool prints_secret(const Arguments& arguments) {
  return arguments.command.elsewhere ? false : names_secret_verb(arguments);
}

bool prints_private(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  const bool prints = among(command.program, kPrivatePrinters) && !runs_another(arguments);
  if (prints || prints_secret(arguments) || prints_variable(command)) return true;
  if (!among(command.program, kReaders)) return false;
  const auto bad = [&](const SeenWord& word) { return is_not_to_be_sent(arguments, word); };
  return std::any_of(command.words.begin() + 1, command.words.end(),
                     [&](const SeenWord& word) {
                       return !word.text.starts_with('-') &&
                              word.text.find_first_of("/.~") != std::string::npos && bad(word);
                     }) ||
         std::ranges::any_of(command.redirects, [&](const SeenRedirect& redirect) {
           return redirect.kind == ShellRedirect::Kind::input && bad(redirect.target);
         });
}

}  // namespace talaria::guard
