#include "policy/approval/details.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/secret_name.h"
#include "base/text.h"
#include "policy/redact.h"

namespace talaria::policy {
namespace {

// What is shown of a longer text: its beginning and its end.
constexpr std::size_t kHead = 4000;
constexpr std::size_t kTail = 1500;
// Functions and aliases; a session may have hundreds that call each other.
constexpr std::size_t kMostDefinitions = 20;

std::string shown(std::string_view text, RedactOptions options = {.command_line = true}) {
  options.shows_commands = true;
  std::string all = redact(sanitize_utf8(text), options);
  const std::string_view head = first_bytes(all, kHead);
  const std::string_view tail = last_bytes(std::string_view(all).substr(head.size()), kTail);
  const std::size_t hidden = all.size() - head.size() - tail.size();
  if (hidden == 0) return all;
  return std::string(head) + "\n[" + std::to_string(hidden) + " of " + std::to_string(all.size()) +
         " bytes are not shown]\n" + std::string(tail);
}

std::string assignment(std::string_view name, std::string_view value) {
  // Of a session's secret only a digest is known here.
  const bool hidden = is_plain_secret(value) || value.starts_with("sha256 ");
  const bool secret = !is_path_value(value) && hidden && secret_name(name) != SecretName::none;
  return std::string(name) + "=" + (secret ? "***" : shown(value)) + "\n";
}

void add_input(const guard::StartInput& input, std::vector<ApprovalDetail>& to) {
  using Kind = guard::StartInput::Kind;
  if (!input.text.empty()) {
    to.push_back({"standard input", shown(input.text)});
  }
  if (input.kind == Kind::open) {
    to.push_back({"unchecked input",
                  "More input is written while it runs, and the guard does not check it. If the "
                  "program runs what it reads, this approves everything that is written to it."});
  }
}

void add_call_variables(const std::vector<std::string>& variables,
                        std::vector<ApprovalDetail>& to) {
  std::string lines;
  for (const std::string_view one : variables) {
    const std::size_t equals = std::min(one.find('='), one.size());
    lines += assignment(one.substr(0, equals), one.substr(std::min(equals + 1, one.size())));
  }
  if (!lines.empty()) to.push_back({"variables of this call", std::move(lines)});
}

void add_session_variables(const CommandQuestion& question, const shell::JudgedStart& start,
                           std::vector<ApprovalDetail>& to) {
  std::string lines;
  for (const std::string& name : start.variables) {
    const auto found = question.session.variables.find(name);
    const bool counts = found != question.session.variables.end() && name != "HOME";
    if (counts) lines += assignment(name, found->second);
  }
  if (!lines.empty()) to.push_back({"variables of the session", std::move(lines)});
}

void add_definitions(const CommandQuestion& question, const shell::JudgedStart& start,
                     std::vector<ApprovalDetail>& to) {
  const shell::SessionDefinitions reached =
      shell::reach(start.words, shell::find_in(question.session));
  std::vector<ApprovalDetail> all;
  for (const auto& [name, text] : reached.functions) {
    all.push_back({"function " + name, shown(text)});
  }
  for (const auto& [name, text] : reached.aliases) {
    all.push_back({"alias " + name, shown(text)});
  }
  if (all.size() > kMostDefinitions) {
    const std::string more = std::to_string(all.size() - kMostDefinitions);
    all.resize(kMostDefinitions);
    all.push_back({"other functions and aliases", more + " more are not shown"});
  }
  std::ranges::move(all, std::back_inserter(to));
}

}  // namespace

std::vector<ApprovalDetail> details_of(const CommandQuestion& question,
                                       const shell::JudgedStart& start) {
  std::vector<ApprovalDetail> details;
  for (const ApprovalDetail& one : question.details) {
    details.push_back({one.name, shown(one.text, {})});
  }
  add_input(question.input, details);
  add_call_variables(question.variables, details);
  // A script and a file tool know nothing of the shell.
  if (question.judged.empty()) {
    add_session_variables(question, start, details);
    add_definitions(question, start, details);
  }
  return details;
}

}  // namespace talaria::policy
