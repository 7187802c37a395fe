// Messages about commands that may not run. Models read them, so they say what not to try.
#pragma once

#include <string>

namespace talaria::policy {

std::string refused_for_good(const std::string& description);  // the hardline floor
std::string refused_sudo_stdin(const std::string& description);
std::string refused_by_rule(const std::string& description);  // of the configuration
std::string refused_in_cron(const std::string& description);
std::string refused_headless(const std::string& description, const std::string& target);
std::string refused_by_user(const std::string& description);
// Behind it: what the person wrote, if anything.
std::string quoted_words(const std::string& words);
std::string refused_by_silence(const std::string& description);
std::string refused_by_program(const std::string& description);  // smart approval
// The hook of the embedding program gave its reply away without an answer.
std::string refused_unanswered(const std::string& description);
std::string refused_unasked();  // the question could not be sent
std::string waits_for_approval(const std::string& description, const std::string& command);

}  // namespace talaria::policy
