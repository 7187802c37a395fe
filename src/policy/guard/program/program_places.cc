// The places that a program names, and what it may do with them. The rules know which are private.
#include <algorithm>
#include <array>

#include "policy/guard/path_text.h"
#include "policy/guard/program/program.h"
#include "policy/guard/program/program_words.h"
#include "policy/guard/run/parameter.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using A = ProgramAct;
using S = CallShape;

// In the place of a command that may read and write what it is given.
constexpr std::string_view kProgramCall = "program_call";

bool is_removal(A act) {
  return act == A::remove || act == A::remove_all || act == A::remove_empty;
}

// ~/x, /x; and of an unknown piece in front of /.x, if it may be the home.
std::string as_place(std::string_view text, bool names_home) {
  if (text.starts_with("~/") || (text.starts_with('/') && !text.starts_with("/."))) {
    return std::string(text);
  }
  if (!names_home) return "";
  if (text.starts_with(kUnknownPiece)) text.remove_prefix(1);
  if (text.starts_with('/')) text.remove_prefix(1);
  return text.size() > 1 && text.starts_with('.') ? "~/" + std::string(text) : "";
}

// It writes, and nothing tells where.
bool writes_unknown(const ProgramFinding& finding) {
  if (finding.act != A::write || finding.shape == S::perl_open) return false;
  const ProgramValue& path = finding.path();
  return path.wholly_unknown() && path.others.empty() && !path.own;
}

// Where nobody writes by the way; a route of a web server looks like a path, too.
bool is_personal(std::string_view place) {
  return std::ranges::any_of(std::array{"~/", "/home/", "/Users/", "/srv/", "/mnt/", "/media/"},
                             [&](std::string_view start) { return place.starts_with(start); });
}

// Some call gets it.
bool is_handled(std::string_view place, const ProgramReport& report) {
  constexpr std::size_t kLongest = 4096;
  const auto holds = [&](const ProgramValue& value) {
    return value.text.size() < kLongest && value.text.contains(place);
  };
  return std::ranges::any_of(report.findings, [&](const ProgramFinding& one) {
    return holds(one.receiver) || std::ranges::any_of(one.arguments.values, holds) ||
           std::ranges::any_of(one.arguments.named,
                               [&](const auto& entry) { return holds(entry.second); });
  });
}

// With all that is in it.
void add_place(const ProgramValue& value, bool names_home, std::vector<SeenWord>& words) {
  for (const auto* inside : {&value.items, &value.others}) {
    for (const ProgramValue& one : *inside) add_place(one, names_home, words);
  }
  for (const auto& [name, one] : value.fields) add_place(one, names_home, words);
  std::string place = value.list || value.own ? "" : as_place(value.text, names_home);
  if (!place.empty()) words.push_back({.text = std::move(place), .pattern = value.pattern});
}

void add_split(const ProgramFinding& finding, std::size_t& left,
               std::vector<ProgramFinding>& calls) {
  ProgramFinding one = finding;
  ProgramValue* loop = one.receiver.each ? &one.receiver : nullptr;
  for (ProgramValue& given : one.arguments.values) {
    if (given.each) loop = &given;
  }
  for (auto& [name, given] : one.arguments.named) {
    if (given.each) loop = &given;
  }
  if (loop == nullptr) return calls.push_back(std::move(one));
  for (const ProgramValue& value : loop->alternatives()) {
    if (left == 0) break;
    --left;
    *loop = left == 0 ? ProgramValue::unknown() : value;
    add_split(one, left, calls);
  }
}

}  // namespace

bool leads_outside(std::string_view path) {
  const std::string place = normalized_path(path);
  const char hidden[] = {kUnknownPiece, '/', '.'};  // h + "/.aws/credentials"
  return place.starts_with('/') || place.starts_with('~') || place.starts_with("..") ||
         place.starts_with(std::string_view(hidden, sizeof hidden));
}

std::vector<ProgramFinding> each_call(const ProgramFinding& finding) {
  if (is_removal(finding.act)) return {finding};  // rm a b
  std::vector<ProgramFinding> calls;
  std::size_t left = kMaxAlternatives;
  add_split(finding, left, calls);
  return calls;
}

const ProgramValue& ProgramFinding::argument(std::size_t at) const {
  static const ProgramValue none = ProgramValue::unknown();
  return at < arguments.values.size() ? arguments.values[at] : none;
}

const ProgramValue& ProgramFinding::path() const {
  if (shape == S::receiver) return receiver;
  return argument(shape == S::second ? 1 : 0);
}

const ProgramValue& ProgramFinding::unpacked_to() const {
  static const ProgramValue here{.text = "."};
  const ProgramValue* const path = arguments.find("path", shape == S::second ? 1 : 0);
  return path == nullptr ? here : *path;
}

const ProgramValue& ProgramFinding::from() const {
  const ProgramValue* const named = arguments.find("src", 99);
  return named != nullptr ? *named : path();
}

const ProgramValue& ProgramFinding::to() const {
  for (const char* const key : {"dst", "target"}) {
    if (const ProgramValue* const named = arguments.find(key, 99)) return *named;
  }
  return behind_path();
}

bool ProgramFinding::asks_to_delete() const {
  const auto is_delete = [](const ProgramValue& value) {
    return lower_case(value.text) == "delete";
  };
  const ProgramValue* const method = arguments.find("method", 99);
  return name.ends_with("delete") || (method != nullptr && is_delete(*method)) ||
         std::ranges::any_of(arguments.values, is_delete);
}

const ProgramValue& ProgramFinding::address() const {
  if (const ProgramValue* const named = arguments.find("url", 99)) return *named;
  return argument(lower_case(argument(0).text) == "delete" ? 1 : 0);
}

bool ProgramFinding::is_unseen() const {
  const auto unseen = [](const ProgramValue& one) {
    return !one.own && (!one.known() || one.pattern);
  };
  switch (act) {
    case A::start:
    case A::copy:
    case A::move:
    case A::link:
    case A::upload:
      return arguments.values.size() + arguments.named.size() == 0 ||
             std::ranges::any_of(arguments.values, unseen);
    case A::read:
    case A::unpickle:
    case A::write:
    case A::remove:
    case A::remove_all:
      return unseen(path()) || shape == S::perl_open;
    default:
      return false;
  }
}

void add_places(const ProgramReport& report, std::vector<InnerCommand>& commands) {
  if (!std::ranges::any_of(report.findings, &ProgramFinding::is_unseen)) return;
  std::vector<SeenWord> words{{std::string(kProgramCall)}};
  const bool writes = std::ranges::any_of(report.findings, writes_unknown);
  for (const std::string& text : report.places) {
    std::string place = as_place(text, report.names_home);
    if (place.empty()) continue;
    const bool written = writes && is_personal(place) && !is_handled(text, report);
    if ((report.hands_on_writing && !place.starts_with("/usr/")) || written) {
      commands.push_back(run_text({std::string(kProgramOutput) + " > " + shell_word(place)}));
    }
    words.push_back({std::move(place)});
  }
  if (words.size() > 1) commands.push_back({.words = std::move(words)});
}

void add_used_places(const ProgramFinding& finding, const ProgramReport& report,
                     std::vector<InnerCommand>& commands) {
  std::vector<SeenWord> words{{std::string(kProgramCall)}};
  const auto add = [&](const ProgramValue& one) { add_place(one, report.names_home, words); };
  for (const ProgramValue& given : finding.arguments.values) add(given);
  for (const auto& [name, given] : finding.arguments.named) add(given);
  if (finding.receiver.path) add(finding.receiver);
  if (words.size() > 1) commands.push_back({.words = std::move(words)});
}

// All of them: like a search through the directory. Those with some name: a key may have it.
void add_listed_place(const ProgramFinding& finding, std::string text, const ProgramReport& report,
                      const std::string& entered, std::vector<InnerCommand>& commands) {
  const bool reads = std::ranges::any_of(report.findings, [](const ProgramFinding& one) {
    return !is_removal(one.act) && one.act != A::write && one.is_unseen();
  });
  if (!text.starts_with('/') && !text.starts_with('~') && !entered.empty()) {
    text = text.empty() || text == "." ? entered : entered + "/" + text;
  }
  if (!reads || text.starts_with(kUnknownPiece) || !leads_outside(text)) return;
  std::size_t end = std::min(text.find_first_of("*?["), text.size());
  if (end < text.size()) end = text.rfind('/', end);
  const std::string directory = text.substr(0, std::max<std::size_t>(end, 1));
  std::string_view names = base_name(std::string_view(text).substr(std::min(end, text.size())));
  if (finding.shape == S::receiver && !finding.arguments.values.empty()) {
    names = base_name(finding.argument(0).text);
  }
  if (names.find_first_not_of("*.") == std::string_view::npos) {
    commands.push_back({.words = {{"grep"}, {"-r"}, {"password"}, {directory}}});
    commands.push_back({.words = {{std::string(kProgramCall)}, {directory}}});
    return;
  }
  for (const std::string_view key : {"id_rsa", "id_ed25519", ".netrc", "credentials", "x.pem"}) {
    if (!matches_pattern(names, key)) continue;
    commands.push_back({.words = {{"cat"}, {directory + "/" + std::string(key)}}});
  }
}

}  // namespace talaria::guard
