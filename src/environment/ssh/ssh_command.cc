#include "environment/ssh/ssh_command.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/sha256.h"
#include "base/text.h"
#include "shell/quote.h"

namespace talaria::environment::ssh {
namespace {

struct Default {
  std::string_view option;
  std::string value;
};

// In the order they are passed. ServerAliveInterval notices a connection that died silently. The
// banner of a host, which LogLevel=ERROR leaves out, would hide the reason of a failure.
std::vector<Default> defaults(const std::string& control_path) {
  return {{"ControlPath", control_path}, {"ControlMaster", "auto"},
          {"ControlPersist", "300"},     {"StrictHostKeyChecking", "accept-new"},
          {"ConnectTimeout", "10"},      {"ServerAliveInterval", "10"},
          {"LogLevel", "ERROR"}};
}

// As a value in a configuration: a path may hold blanks, and ssh reads %x in this one.
std::string config_value(std::string_view value) {
  std::string text;
  for (const char c : value) text += c == '%' ? "%%" : std::string(1, c);
  return text.contains(' ') ? "\"" + text + "\"" : text;
}

std::map<std::string, std::string> read_answer(std::string_view answer) {
  std::map<std::string, std::string> values;
  while (!answer.empty()) {
    std::string_view line = next_word(answer, '\n');
    const std::string name = lower_case(next_word(line));
    values.emplace(name, line);
  }
  return values;
}

bool is_safe(std::string_view text) {
  return !text.starts_with('-') &&
         std::ranges::none_of(text, [](unsigned char c) { return c <= ' ' || c == 0x7f; });
}

std::vector<std::string> where(const SshConfig& config) {
  std::vector<std::string> arguments;
  if (config.port != 22) arguments.insert(arguments.end(), {"-p", std::to_string(config.port)});
  if (!config.key.empty()) arguments.insert(arguments.end(), {"-i", config.key});
  arguments.push_back(config.login());
  return arguments;
}

std::string joined(const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& argument : arguments)
    line += (line.empty() ? "" : " ") + shell::shell_quote(argument);
  return line;
}

}  // namespace

Result<void> check_ssh_config(const SshConfig& config) {
  if (config.host.empty() || config.user.empty()) {
    const bool both = config.host.empty() && config.user.empty();
    std::string missing = config.host.empty() ? "TERMINAL_SSH_HOST (terminal.ssh_host)" : "";
    if (config.user.empty()) {
      missing +=
          std::string(missing.empty() ? "" : " and ") + "TERMINAL_SSH_USER (terminal.ssh_user)";
    }
    return fail(ErrorKind::bad_request,
                "SSH environment requires ssh_host and ssh_user to be configured: " + missing +
                    (both ? " are not set" : " is not set"));
  }
  for (const auto& [name, value] :
       {std::pair{"TERMINAL_SSH_HOST", &config.host}, {"TERMINAL_SSH_USER", &config.user}}) {
    if (!is_safe(*value)) {
      const char* const flaw =
          value->starts_with('-') ? "it begins with '-'" : "it contains white space";
      return fail(ErrorKind::bad_request,
                  std::string(name) + ": '" + *value + "' is invalid: " + flaw);
    }
  }
  return {};
}

std::string control_name(const SshConfig& config) {
  std::string text = config.login() + ":" + std::to_string(config.port);
  // Another key or configuration may lead to another account.
  for (const std::string& part : {config.key, config.config_file}) text += '\0' + part;
  return sha256_hex(text).substr(0, kControlNameBytes);
}

std::string layered_config(const SshConfig& config, const std::string& control_path) {
  std::string text;
  if (config.config_file.empty()) {
    // As ssh reads it: "~" is the home that the system knows, which is where it looks.
    text = "Include ~/.ssh/config\nMatch all\nInclude /etc/ssh/ssh_config\n";
  } else {
    text = "Include \"" + config.config_file + "\"\n";
  }
  text += "Match all\n";
  for (const Default& one : defaults(control_path)) {
    text += "  " + std::string(one.option) + " " + config_value(one.value) + "\n";
  }
  return text;
}

std::vector<std::string> question(const SshConfig& config, const std::string& config_path) {
  std::vector<std::string> arguments{"ssh", "-G", "-F", config_path};
  const std::vector<std::string> rest = where(config);
  arguments.insert(arguments.end(), rest.begin(), rest.end());
  return arguments;
}

SshCommand ssh_command(const SshConfig& config, const std::string& control_path,
                       std::string_view answer) {
  const std::map<std::string, std::string> values = read_answer(answer);
  const auto value_of = [&](std::string_view option) {
    const auto found = values.find(lower_case(option));
    return found == values.end() ? "" : found->second;
  };
  // No terminal, whatever is configured: there is no user to ask, and a link carries bytes.
  std::vector<std::string> options{"-T", "-o", "BatchMode=yes", "-o", "RemoteCommand=none"};
  std::vector<std::string> sharing;
  for (const Default& one : defaults(control_path)) {
    if (value_of(one.option) != one.value) continue;  // the user configured another value
    auto& arguments = one.option.starts_with("Control") ? sharing : options;
    arguments.insert(arguments.end(),
                     {"-o", std::string(one.option) + "=" + config_value(one.value)});
  }
  const std::vector<std::string> end = where(config);
  const auto command = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"ssh"};
    if (!config.config_file.empty()) arguments.insert(arguments.end(), {"-F", config.config_file});
    for (const auto* part : {&more, &std::as_const(options), &end}) {
      arguments.insert(arguments.end(), part->begin(), part->end());
    }
    return joined(arguments);
  };
  SshCommand made{.shared = command(sharing), .direct = command({"-o", "ControlPath=none"})};
  if (value_of("ControlPath") == control_path) {
    made.control_path = control_path;
    made.stop_sharing = {
        "ssh", "-F",   "none",        "-o", "ControlPath=" + config_value(control_path),
        "-O",  "stop", config.login()};
  }
  int seconds = 0;
  const std::string timeout = value_of("ConnectTimeout");
  std::from_chars(timeout.data(), timeout.data() + timeout.size(), seconds);
  if (seconds > 0) made.connect_timeout = std::chrono::seconds(seconds);
  return made;
}

}  // namespace talaria::environment::ssh
