#include "shell/login.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/hash.h"
#include "shell/name_patterns.h"
#include "shell/quote.h"

namespace talaria::shell {
namespace {

constexpr std::string_view kTraceEnd = "set +x";  // the last that is traced

// Not the session's: the login's own directory, and what its script used.
constexpr std::array<std::string_view, 3> kOfTheLogin{"OLDPWD", "BASH_XTRACEFD", kLoginDone};

// A line of the trace is "+", \001, nonce, source file, \003, directory, \003, 1, \002, command.
// Expanding it also notes the file, so that the script knows what was read already.
std::string trace_prompt(std::string_view nonce) {
  return "+\001" + std::string(nonce) +
         "${BASH_SOURCE-}\003${PWD-}\003${__talaria_read[\"x${BASH_SOURCE-}\"]:=1}\002";
}

std::string readable(const std::string& quoted) {
  return "[[ -f " + quoted + " && -r " + quoted + " ]]";
}

std::string source(const std::string& quoted) {
  return "__talaria_read[x" + quoted + "]=1; \\builtin . " + quoted;
}

constexpr const char* kTame = "\\builtin set +eu\n";

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> entries;
  while (!path.empty()) {
    const std::size_t colon = std::min(path.find(':'), path.size());
    if (colon > 0) add_once(entries, std::string(path.substr(0, colon)));
    path.remove_prefix(std::min(colon + 1, path.size()));
  }
  return entries;
}

// The words of a traced command, which bash prints quoted where it matters.
std::vector<std::string> traced_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      if (!word.empty()) words.push_back(std::exchange(word, {}));
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

std::string absolute(std::string_view directory, std::string_view path) {
  if (path.starts_with('/')) return std::string(path);
  return std::string(directory) + "/" + std::string(path);
}

// `directory` is where the command ran. A word that is not a path names nothing that exists,
// and does no harm.
void note_command(std::string_view line, std::string_view directory, LoginTrace& trace) {
  std::vector<std::string> words = traced_words(line);
  if (!words.empty() && words.front() == "builtin") words.erase(words.begin());
  if (words.size() < 2) return;
  if (words[0] == "." || words[0] == "source") {
    add_once(trace.read, absolute(directory, words[1]));
  } else if (words[0] == "[" || words[0] == "[[" || words[0] == "test") {
    for (const std::string& word : words) {
      if (word.starts_with('/')) add_once(trace.looked_for, word);
    }
  }
}

}  // namespace

std::vector<std::string> usual_init_files(const std::string& home) {
  return {home + "/.profile", home + "/.bash_profile", home + "/.bashrc"};
}

std::string expand_init_file(std::string_view path, const std::string& home,
                             const NameMap& variables) {
  std::string expanded;
  if (path == "~" || path.starts_with("~/")) {
    expanded = home;
    path.remove_prefix(1);
  }
  while (!path.empty()) {
    const std::size_t dollar = std::min(path.find('$'), path.size());
    expanded += path.substr(0, dollar);
    path.remove_prefix(dollar);
    if (path.empty()) break;
    const bool braced = path.starts_with("${");
    const std::string_view rest = path.substr(braced ? 2 : 1);
    const std::size_t size =
        static_cast<std::size_t>(std::ranges::find_if_not(rest, is_name_part) - rest.begin());
    const bool complete =
        size > 0 && is_name_start(rest.front()) && (!braced || rest.substr(size).starts_with('}'));
    if (!complete) {
      expanded += '$';
      path.remove_prefix(1);
      continue;
    }
    const auto found = variables.find(rest.substr(0, size));
    if (found != variables.end()) expanded += found->second;
    path = rest.substr(size + (braced ? 1 : 0));
  }
  return expanded.starts_with('/') ? expanded : home + "/" + expanded;
}

std::string login_text(const LoginPlan& plan, const LoginScript& script) {
  std::string text = "declare -A __talaria_read=()\nexec {BASH_XTRACEFD}<>" +
                     single_quote(script.trace_path) +
                     "\nPS4=" + single_quote(trace_prompt(script.nonce)) + "\n\\builtin set -x\n";
  const std::string profile = single_quote("/etc/profile");
  text += "if " + readable(profile) + "; then " + source(profile) + "; fi\n" + kTame;
  std::string_view word = "if ";
  for (const char* name : {"/.bash_profile", "/.bash_login", "/.profile"}) {
    const std::string quoted = single_quote(plan.home + name);
    text += std::string(word) + readable(quoted) + "; then " + source(quoted) + "\n";
    word = "elif ";
  }
  text += std::string("fi\n") + kTame;
  for (const std::string& file : plan.more_files) {
    const std::string quoted = single_quote(file);
    text += "if [[ -z ${__talaria_read[x" + quoted + "]-} ]] && " + readable(quoted) + "; then " +
            source(quoted) + "; fi\n" + kTame;
  }
  // A trap that a file has set for the end of the shell is not for now: the login continues. In
  // posix mode the builtin `trap` would be taken, which knows nothing of ours.
  return text + "\\builtin " + std::string(kTraceEnd) +
         "\n\\builtin unset BASH_XTRACEFD\n\\builtin set +o posix\ntrap - EXIT\n"
         "\\builtin export " +
         std::string(kLoginDone) + "=" + script.nonce + "\n";
}

LoginTrace parse_trace(std::string_view trace, std::string_view nonce) {
  LoginTrace result;
  const std::string mark = "\001" + std::string(nonce);
  while (true) {
    const std::size_t start = trace.find(mark);
    if (start == std::string_view::npos) return result;
    trace.remove_prefix(start + mark.size());
    const std::size_t source_end = trace.find('\003');
    const std::size_t directory_end = trace.find('\003', source_end + 1);
    const std::size_t head_end = trace.find('\002');
    if (head_end == std::string_view::npos || directory_end > head_end) return result;
    const std::string_view source = trace.substr(0, source_end);
    const std::string_view directory = trace.substr(source_end + 1, directory_end - source_end - 1);
    trace.remove_prefix(head_end + 1);
    if (source.contains('/')) {  // ours has none
      result.last = absolute(directory, source);
      add_once(result.read, result.last);
    }
    const std::string_view command = trace.substr(0, trace.find('\n'));
    note_command(command, directory, result);
    result.whole = source.empty() && command == "builtin " + std::string(kTraceEnd);
  }
}

LoginChange login_change(const ShellState& before, ShellState after, std::string_view nonce,
                         const std::vector<std::string>& withheld) {
  LoginChange change;
  const auto done = after.variables.find(kLoginDone);
  change.reached_end = done != after.variables.end() && done->second == nonce;

  const auto caller_prompt = before.variables.find("PS4");
  const auto prompt = after.variables.find("PS4");
  if (prompt != after.variables.end() && prompt->second == trace_prompt(nonce) &&
      caller_prompt != before.variables.end()) {
    after.variables.insert_or_assign("PS4", caller_prompt->second);
  }
  const auto caller_path = before.variables.find("PATH");
  const auto path = after.variables.find("PATH");
  if (path != after.variables.end() && caller_path != before.variables.end()) {
    after.variables.insert_or_assign("PATH", login_path(path->second, caller_path->second));
  }
  drop_inherited_functions(before, after);
  after.cwd = before.cwd;
  change.state.merge(before, after);
  for (const std::string_view name : kOfTheLogin) change.state.variables.erase(std::string(name));
  erase_if(change.state.variables,
           [&](const auto& entry) { return lists_name(withheld, entry.first); });
  change.state.options["expand_aliases"] = true;
  return change;
}

std::string login_path(std::string_view login, std::string_view caller) {
  const std::vector<std::string> old = split_path(caller);
  std::vector<std::string> front;
  std::vector<std::string> back;
  bool behind = false;
  for (std::string& entry : split_path(login)) {
    if (std::ranges::find(old, entry) != old.end()) {
      behind = true;
    } else {
      (behind ? back : front).push_back(std::move(entry));
    }
  }
  std::string path;
  for (const std::vector<std::string>* part : {&std::as_const(front), &old, &std::as_const(back)}) {
    for (const std::string& entry : *part) path += (path.empty() ? "" : ":") + entry;
  }
  return path;
}

void collect_names(std::string_view text, std::vector<std::uint64_t>& names) {
  while (true) {
    const auto start = std::ranges::find_if(text, is_name_start);
    if (start == text.end()) return;
    const auto end = std::find_if_not(start, text.end(), is_name_part);
    names.push_back(hash_text({start, end}));
    text = {end, text.end()};
  }
}

}  // namespace talaria::shell
