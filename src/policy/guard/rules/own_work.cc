#include "policy/guard/rules/own_work.h"

#include <algorithm>
#include <string_view>

#include "policy/guard/rules/found_files.h"
#include "policy/guard/rules/trial.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/tmux_commands.h"

namespace talaria::guard {
namespace {

// Commands that make something, and those that end it again, by the same name.
struct Pair {
  std::string_view maker;
  std::string_view made_by;  // the verbs in front of the name
  std::string_view ender;
  std::string_view ended_by;
  std::string_view name_option = {};  // where the maker says the name; "": the operand behind
};
constexpr Pair kPairs[] = {
    {"docker podman nerdctl", "run", "docker podman nerdctl", "stop|rm|kill|restart", "name"},
    {"docker podman nerdctl", "create", "docker podman nerdctl", "stop|rm|kill|restart", "name"},
    {"docker podman nerdctl", "container run|create", "docker podman nerdctl",
     "container stop|rm|kill", "name"},
    {"docker podman nerdctl", "volume create", "docker podman nerdctl", "volume rm|remove"},
    {"docker podman nerdctl", "network create", "docker podman nerdctl", "network rm|remove"},
    {"docker podman nerdctl", "build", "docker podman nerdctl", "rmi", "tag"},
    {"createdb", "", "dropdb", ""},
    {"git", "worktree add", "git", "worktree remove"},
    {"git", "branch", "git", "branch", ""},
    {"kubectl oc", "create namespace|ns", "kubectl oc", "delete namespace|ns"},
    {"kind", "create cluster", "kind", "delete cluster", "name"},
    {"k3d", "cluster create", "k3d", "cluster delete"},
    {"minikube", "start", "minikube", "delete|stop"},
    {"tmux", "new-session|new", "tmux", "kill-session", "s"},
};

std::size_t words_in(std::string_view verbs) {
  std::size_t count = 0;
  while (!verbs.empty()) {
    if (!next_word(verbs).empty()) ++count;
  }
  return count;
}

std::string key_of(const Pair& pair, std::string_view name) {
  return std::string(pair.ender) + '\n' + std::string(name);
}

// The compose file and project that it speaks of: what one command brought up, the same takes down.
std::string compose_of(const Arguments& arguments) {
  std::string key = "compose";
  const auto add = [&](char letter, std::string_view name) {
    for (const SeenWord& word : option_values(arguments.command, letter, name)) {
      key += "\n" + word.text;
    }
  };
  add('p', "project-name");
  add('f', "file");
  return key;
}

bool is_compose(const Arguments& arguments, std::string_view verbs) {
  const bool apart = among(arguments.command.program, "docker-compose podman-compose");
  const std::size_t at = apart ? 0 : 1;
  if (!apart && (arguments.verb(0) != "compose" ||
                 !among(arguments.command.program, "docker podman nerdctl"))) {
    return false;
  }
  return among(arguments.verb(at), verbs);
}

bool is_engine(std::string_view program) { return among(program, "docker podman nerdctl"); }

bool mounts_anything(const SeenCommand& command) {
  return !option_values(command, 'v', "volume").empty() ||
         !option_values(command, '\0', "mount").empty() ||
         !option_values(command, '\0', "volumes-from").empty();
}

std::vector<std::string> made_names(const Pair& pair, const Arguments& arguments) {
  std::vector<std::string> names;
  if (!pair.name_option.empty()) {
    const bool letter = pair.name_option.size() == 1;
    for (const SeenWord& word :
         option_values(arguments.command, letter ? pair.name_option.front() : '\0',
                       letter ? "" : pair.name_option)) {
      names.push_back(word.text);
    }
    if (pair.name_option == "tag") {
      for (const SeenWord& word : option_values(arguments.command, 't', "")) {
        names.push_back(word.text);
      }
    }
    return names;
  }
  const std::size_t at = words_in(pair.made_by);
  if (at < arguments.operands().size()) names.emplace_back(arguments.verb(at));
  return names;
}

}  // namespace

// cd "$(mktemp -d)" && git init; git -C "$tmp" init repo; cd "$tmp/repo"
void OwnWork::note_repository(const SeenCommand& command, const Arguments& arguments) {
  if (among(command.program, "cd pushd popd")) {
    const SeenWord* const to = has_operand(arguments) ? arguments.operands()[0] : nullptr;
    in_temporary_ = to != nullptr && to->temporary;
    in_own_repository_ = to != nullptr && to->text.starts_with(kUnknownPiece) &&
                         (repositories_.contains(std::string(base_name(to->text))) ||
                          (in_temporary_ && repositories_.contains("")));
    return;
  }
  if (command.program != "git" || !arguments.begins("init|clone")) return;
  const bool below =
      std::ranges::any_of(command.words, [](const SeenWord& word) { return word.temporary; });
  const auto& words = arguments.operands();
  const bool named = words.size() > 1 && !words.back()->temporary && words.back()->known();
  const std::string name = named ? std::string(base_name(words.back()->text)) : "";
  if (below || in_temporary_) repositories_.insert(name);
  if (in_temporary_ && !named && !below) in_own_repository_ = true;
}

// Where a directory may go, its history may, too.
bool OwnWork::is_own_repository(const SeenCommand& command, const Arguments& arguments) const {
  if (command.program != "git" || command.elsewhere ||
      !arguments.begins("reset|clean|checkout|restore|stash|branch|rebase|switch|rm|tag|reflog|gc|"
                        "filter-branch|commit")) {
    return false;
  }
  for (std::size_t i = 1; i + 1 < command.words.size() && command.word(i).starts_with('-'); ++i) {
    if (command.word(i).starts_with("--git-dir") || command.word(i).starts_with("--work-tree")) {
      return false;
    }
    if (command.word(i) == "-C") {
      const SeenWord& to = command.words[i + 1];
      return to.temporary ||
             (to.known() && arguments.paths.is_temporary(arguments.resolved(to).text));
    }
    if (command.word(i) == "-c") return false;  // its settings may be commands
  }
  if (command.directory.empty()) return in_own_repository_;
  return arguments.paths.is_temporary(command.directory);
}

// tmux new -d -s dev; tmux send-keys -t dev 'npm test' Enter
void OwnWork::note_panes(const SeenCommand& command) {
  for (const TmuxCommand& one : tmux_commands(command)) {
    const std::string name = one.name == "new-session" ? one.value('s') : "";
    if (!name.empty()) made_.insert("pane\n" + one.server + "\n" + name);
  }
}

bool OwnWork::types_into_own_panes(const SeenCommand& command) const {
  if (command.program != "tmux") return false;
  const std::vector<TmuxCommand> all = tmux_commands(command);
  return !all.empty() && std::ranges::all_of(all, [&](const TmuxCommand& one) {
    const std::string target = one.value('t');
    return one.types() && made_.contains("pane\n" + one.server + "\n" +
                                         target.substr(0, target.find_first_of(":.")));
  });
}

void OwnWork::note(const SeenCommand& command, const Arguments& arguments) {
  if (command.elsewhere || !command.is_by_name()) return;
  in_fresh_container_ = false;
  if (is_engine(command.program) &&
      (arguments.begins("run") || arguments.begins("container run"))) {
    in_fresh_container_ = !mounts_anything(command) && !arguments.has("--privileged");
  }
  note_repository(command, arguments);
  if (command.program == "tmux") note_panes(command);
  if (is_compose(arguments, "up run create start")) made_.insert(compose_of(arguments));
  for (const Pair& pair : kPairs) {
    if (!among(command.program, pair.maker) || !arguments.begins(pair.made_by)) continue;
    for (const std::string& name : made_names(pair, arguments)) made_.insert(key_of(pair, name));
  }
}

bool OwnWork::covers(const SeenCommand& command, const Arguments& arguments) const {
  if (in_fresh_container_ && command.elsewhere) return true;
  const bool found = command.program == "rm" && command.run_by == "xargs" && has_operand(arguments);
  if (found && std::ranges::all_of(arguments.operands(), [&](const SeenWord* word) {
        return is_found_scratch(arguments, word->text);
      })) {
    return true;
  }
  if (uses_local_service(arguments)) return true;
  if (is_own_repository(command, arguments) || types_into_own_panes(command)) return true;
  if (is_compose(arguments, "stop down rm kill restart")) {
    const std::string project = compose_of(arguments);
    const bool data = arguments.has("-v|--volumes|--rmi");
    return names_tests(project) || (made_.contains(project) && !data);
  }
  for (const Pair& pair : kPairs) {
    if (!among(command.program, pair.ender) || !arguments.begins(pair.ended_by)) continue;
    const auto& words = arguments.operands();
    const std::size_t at = words_in(pair.ended_by);
    // A branch or a namespace that is called so may be a person's work.
    const bool for_tests = is_engine(command.program) || among(command.program, "dropdb kind k3d");
    const auto own = [&](const SeenWord* word) {
      return word->temporary || (for_tests && names_tests(word->text)) ||
             made_.contains(key_of(pair, word->text));
    };
    if (words.size() > at &&
        std::all_of(words.begin() + static_cast<std::ptrdiff_t>(at), words.end(), own)) {
      return true;
    }
    const auto named = option_values(command, 't', pair.name_option);
    if (words.size() == at && !named.empty() && own(&named.front())) return true;
  }
  return false;
}

}  // namespace talaria::guard
