// What leaves the machine: the programs that send, what they are given to send, and where to.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "policy/guard/rules/arguments.h"

namespace talaria::guard {

inline constexpr std::string_view kSendingPrograms =
    "curl wget http https xh curlie scp rsync sftp pscp unison lftp ncftpput ftp tftp rclone aws "
    "gsutil gcloud mc s3cmd azcopy b2 s5cmd az croc wormhole pastebinit gist slackcat ffsend "
    "transfer "
    "telegram-send wgetpaste mail mailx mutt neomutt sendmail swaks msmtp s-nail mpack gh glab "
    "smbclient signal-cli "
    "matrix-commander slack telegram-cli toot nc "
    "ncat netcat socat telnet openssl ssh ipfs wsend imgur-uploader filebin 0x0";

// Whether it sends what its words or its standard input name.
bool sends_words(const Arguments& arguments);

// Whether it sends one of these files, given by their last names.
bool sends_one_of(const Arguments& arguments, const std::set<std::string>& names);

// Whether it sends a file whose path passes the test.
bool sends_word_that(const Arguments& arguments, bool (*test)(std::string_view path));

// Whether it sends its standard input.
bool sends_input(const Arguments& arguments);
// Whether it sends what a redirection gives it.
bool sends_redirected(const Arguments& arguments);
// Whether it sends a word that another command has printed.
bool sends_printed(const Arguments& arguments);

// Whether it sends a variable whose name says that it is a secret, and not to log in with.
bool sends_secret_variable(const Arguments& arguments);

// localhost, 127.0.0.1.
bool is_this_machine(std::string_view url);
// That, or one beside it: a name without a dot, 192.168.…
bool is_local_host(std::string_view url);
// Whether all addresses among its words are this machine; without any: false.
bool talks_to_this_machine(const Arguments& arguments);

// A file that is nobody else's business: secrets, and what is outside the project.
bool is_not_to_be_sent(const Arguments& arguments, const SeenWord& word);

// Whether it prints such a file, or passwords, or a whole database.
bool prints_private(const Arguments& arguments);

// Whether it may show a secret file of the person.
bool shows_secret(const Arguments& arguments);

// Whether it prints passwords, tokens or keys that a program keeps: pass show, vault kv get.
bool prints_secret(const Arguments& arguments);

}  // namespace talaria::guard
