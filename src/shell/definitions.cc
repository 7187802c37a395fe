#include "shell/definitions.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/sha256.h"

namespace talaria::shell {
namespace {

constexpr std::size_t kMaxText = 64 * 1024;
constexpr std::size_t kMaxAllTexts = 512 * 1024;

constexpr std::array<std::string_view, 22> kReserved{
    "!",    "[[", "]]",  "{",  "}",  "case",     "coproc", "do",   "done", "elif",  "else",
    "esac", "fi", "for", "if", "in", "function", "select", "then", "time", "until", "while"};

// No shell reads this, and it differs as the texts do.
std::string unreadable(const std::string& text) {
  return "( # " + std::to_string(text.size()) + " bytes, " + sha256_hex(text);
}

// What cannot be in the name of a command without quotes.
constexpr std::string_view kBetweenNames = " \t\n;&|()<>`'\"$=\\";

void add_mentioned(std::string_view text, std::set<std::string, std::less<>>& names,
                   std::vector<std::string>& next) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(kBetweenNames, at);
    if (begin == std::string_view::npos) return;
    at = std::min(text.find_first_of(kBetweenNames, begin), text.size());
    const std::string_view name = text.substr(begin, at - begin);
    if (is_reserved_word(name) || names.contains(name)) continue;
    next.push_back(*names.emplace(name).first);
  }
}

void append(std::string& to, char kind, const NameMap& texts) {
  for (const auto& [name, text] : texts) {
    to += kind + std::to_string(name.size()) + ' ' + std::to_string(text.size()) + '\n';
    to += name + text;
  }
}

}  // namespace

bool is_reserved_word(std::string_view word) {
  return std::ranges::find(kReserved, word) != kReserved.end();
}

FindDefinition find_in(const SessionDefinitions& definitions) {
  return [&definitions](std::string_view name, SessionDefinitions& to) {
    const auto alias = definitions.aliases.find(name);
    if (alias != definitions.aliases.end()) to.aliases.insert(*alias);
    const auto function = definitions.functions.find(name);
    if (function != definitions.functions.end()) to.functions.insert(*function);
  };
}

SessionDefinitions reach(const std::vector<std::string>& words, const FindDefinition& find) {
  SessionDefinitions reached;
  std::set<std::string, std::less<>> names(words.begin(), words.end());
  names.emplace(kNotFoundHandler);
  std::size_t bytes = 0;
  std::vector<std::string> look(names.begin(), names.end());
  for (const std::string_view word : kReserved) {
    if (!names.contains(word)) look.emplace_back(word);
  }
  while (!look.empty()) {
    std::vector<std::string> next;
    SessionDefinitions found;
    for (const std::string& name : look) {
      find(name, found);
      if (found.aliases.empty() && found.functions.empty()) continue;
      for (auto [from, to] : {std::pair(&found.aliases, &reached.aliases),
                              std::pair(&found.functions, &reached.functions)}) {
        for (const auto& [own_name, whole] : *from) {
          const bool large = whole.size() > kMaxText || bytes + whole.size() > kMaxAllTexts;
          std::string text = large ? unreadable(whole) : whole;
          bytes += text.size();
          add_mentioned(text, names, next);
          to->insert_or_assign(own_name, std::move(text));
        }
      }
      found = {};
    }
    look = std::move(next);
  }
  return reached;
}

std::string digest_of_texts(const SessionDefinitions& definitions) {
  std::string text;
  append(text, 'a', definitions.aliases);
  append(text, 'f', definitions.functions);
  return text.empty() ? "" : sha256_hex(text);
}

std::string digest_of_facts(const SessionDefinitions& definitions) {
  std::string text;
  append(text, 'v', definitions.variables);
  if (!definitions.directory.empty()) append(text, 'd', {{"", definitions.directory}});
  return text.empty() ? "" : sha256_hex(text);
}

void judge_by(const SessionDefinitions& known, JudgedStart& judged) {
  const bool none = known.aliases.empty() && known.functions.empty();
  judged.definitions = none ? "" : digest_of_texts(reach(judged.words, find_in(known)));
  SessionDefinitions facts;
  for (const std::string& name : judged.variables) {
    if (const auto found = known.variables.find(name); found != known.variables.end()) {
      facts.variables.insert(*found);
    }
  }
  if (judged.uses_directory) facts.directory = known.directory;
  judged.facts = digest_of_facts(facts);
}

}  // namespace talaria::shell
