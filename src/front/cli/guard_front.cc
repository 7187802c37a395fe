#include <talaria/guard.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "front/cli/fronts.h"
#include "front/cli/report.h"
#include "front/cli/table.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

json::object verdict_json(const GuardVerdict& verdict) {
  json::array rules;
  for (const GuardRuleHit& hit : verdict.rules) {
    rules.push_back(json::object{{"key", hit.key},
                                 {"class", hit.rule_class},
                                 {"why", hit.why},
                                 {"command", json::array(hit.words.begin(), hit.words.end())}});
  }
  json::array commands;
  for (const auto& words : verdict.commands) {
    commands.push_back(json::array(words.begin(), words.end()));
  }
  return {{"verdict", guard_answer_name(verdict.answer)},
          {"rules", std::move(rules)},
          {"commands", std::move(commands)}};
}

// With quotes where they are needed to separate the words.
std::string quoted_command(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"") == std::string::npos;
    text += plain ? word : "'" + word + "'";
  }
  return one_line(text);
}

Look look_of(GuardAnswer answer) {
  switch (answer) {
    case GuardAnswer::allow:
      return Look::good;
    case GuardAnswer::ask:
      return Look::doubtful;
    case GuardAnswer::deny:
      return Look::bad;
  }
  return Look::plain;
}

std::string verdict_text(const GuardVerdict& verdict, const TextStyle& style) {
  static constexpr std::string_view kMeanings[] = {"no rule matches", "a person must approve it",
                                                   "it cannot be approved"};
  std::string text = dressed(guard_answer_name(verdict.answer), look_of(verdict.answer), style);
  text += ": " + std::string(kMeanings[static_cast<std::size_t>(verdict.answer)]) + "\n";
  if (!verdict.rules.empty()) {
    Table rules({"CLASS", "RULE", "COMMAND"});
    for (const GuardRuleHit& hit : verdict.rules) {
      const bool more = hit.why != hit.key;
      rules.add({std::string(hit.rule_class), more ? hit.key + ": " + hit.why : hit.key,
                 quoted_command(hit.words)});
    }
    text += "\n" + rules.drawn(style);
  }
  if (!verdict.commands.empty()) {
    Table commands({"COMMANDS FOUND"});
    for (const auto& words : verdict.commands) commands.add({quoted_command(words)});
    text += "\n" + commands.drawn(style);
  }
  return text;
}

std::string answer_line(std::string_view line, const GuardOptions& options) {
  const ParsedJson parsed = parse_json(line);
  json::object answer;
  if (!parsed.value) {
    answer = {{"error", parsed.value.error().message()}};
  } else if (!parsed.value->is_string()) {
    answer = {{"error", "expected a command as a JSON string"}};
  } else {
    answer = verdict_json(explain_command(std::string_view(parsed.value->as_string()), options));
  }
  return to_line(answer) + "\n";
}

int explain_lines(const GuardOptions& options, const Stdio& stdio) {
  std::string pending;
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t size = ::read(stdio.in, chunk.data(), chunk.size());
    if (size < 0 && errno == EINTR) continue;
    if (size > 0) pending.append(chunk.data(), static_cast<std::size_t>(size));
    if (size <= 0 && !pending.empty()) pending += '\n';  // the last line may have no newline
    std::size_t begin = 0;
    for (std::size_t end = pending.find('\n'); end != std::string::npos;
         end = pending.find('\n', begin)) {
      const std::string_view line = std::string_view(pending).substr(begin, end - begin);
      if (!write_output(stdio, answer_line(line, options))) return kFailed;
      begin = end + 1;
    }
    pending.erase(0, begin);
    if (size <= 0) return 0;
  }
}

int check_rules(const Stdio& stdio) {
  const std::vector<std::string> flaws = check_guard_rules();
  for (const std::string& flaw : flaws) complain(stdio, flaw);
  if (!flaws.empty()) return kFailed;
  return report_text("All rules match their examples.\n", stdio);
}

}  // namespace

int run_command(const GuardExplainOptions& options, const Stdio& stdio) {
  const GuardOptions guard{.target = options.target};
  if (options.self_test) return check_rules(stdio);
  if (options.lines) return explain_lines(guard, stdio);
  const GuardVerdict verdict = explain_command(options.command, guard);
  if (options.json) return report_line(verdict_json(verdict), stdio);
  return report_text(verdict_text(verdict, style_for(stdio.out)), stdio);
}

}  // namespace talaria::front::cli
