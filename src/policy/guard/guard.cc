#include "policy/guard/guard.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/sha256.h"
#include "policy/guard/readings.h"
#include "policy/guard/rules/own_work.h"
#include "policy/guard/rules/rule.h"
#include "policy/guard/run/inner.h"
#include "policy/guard/run/walk.h"
#include "policy/guard/sequences.h"
#include "policy/guard/user_rules.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxShownCommands = 1000;
constexpr std::size_t kMaxCommandBytes = 4 * 1024 * 1024;
constexpr std::size_t kMaxNames = 4096;
constexpr std::size_t kMaxNameBytes = 4096;

int weight(RuleClass rule_class) {
  switch (rule_class) {
    case RuleClass::hardline:
      return 0;
    case RuleClass::sudo_stdin:
      return 1;
    case RuleClass::user:
      return 2;
    case RuleClass::dangerous:
      return 3;
    case RuleClass::unclear:
      return 4;
  }
  return 5;
}

// What it would do at another place is worth a question, no more.
RuleClass class_of(const Rule& rule, const SeenCommand& command) {
  if (rule.rule_class != RuleClass::hardline) return rule.rule_class;
  if (command.guessed) return RuleClass::unclear;
  return command.elsewhere ? RuleClass::dangerous : RuleClass::hardline;
}

// The weightiest first, each once.
void add_concern(Judgement& judgement, Concern concern) {
  const bool known = std::ranges::any_of(judgement.concerns, [&](const Concern& one) {
    return one.key == concern.key && one.rule_class == concern.rule_class;
  });
  if (known) return;
  const int own = weight(concern.rule_class);
  const bool floor = own <= weight(RuleClass::sudo_stdin);
  judgement.answer = std::max(judgement.answer, floor ? Answer::deny : Answer::ask);
  const auto lighter = std::ranges::find_if(
      judgement.concerns, [&](const Concern& one) { return weight(one.rule_class) > own; });
  judgement.concerns.insert(lighter, std::move(concern));
}

// As a person would recognise it: with the variables in front that count.
std::vector<std::string> words_of(const SeenCommand& command) {
  SeenCommand whole;
  for (const SeenAssignment& one : command.variables) {
    whole.words.push_back({one.name + "=" + one.value.text});
  }
  std::ranges::copy(command.words, std::back_inserter(whole.words));
  return shown_words(whole);
}

// $CC, taken for something worse than a compiler: only the worst counts.
bool is_customary_guess(const SeenCommand& command) {
  return command.guessed && !command.words.empty() && command.words.front().customary;
}

// terraform destroy --help: most programs then only print a text.
bool asks_for_help(const SeenCommand& command) {
  constexpr std::size_t kMostWords = 4;
  return command.words.size() > 1 && command.words.size() <= kMostWords &&
         among(command.words.back().text, "--help -help") && command.redirects.empty() &&
         !among(command.program, "sudo doas pkexec run0") &&  // which have rules for what they run
         !is_shell(command.program) && !is_interpreter(command.program);
}

// Whether it removes what mktemp has made, and nothing else.
bool removes_temporary(const SeenCommand& command) {
  if (command.program != "rm" || command.words.size() < 2 || command.guessed) return false;
  return std::all_of(
             command.words.begin() + 1, command.words.end(),
             [](const SeenWord& word) { return word.temporary || word.text.starts_with('-'); }) &&
         command.redirects.empty();
}

// What they print or wait for is all that their words decide.
constexpr std::string_view kOnlyShow =
    "echo printf test [ [[ true false : pwd sleep exit return wait date seq";

bool only_shows(const SeenCommand& command) {
  return command.redirects.empty() && (command.words.empty() || among(command.called(), kOnlyShow));
}

class Judge {
 public:
  explicit Judge(const GuardContext& context) : context_(context), paths_(context) {}

  void judge(std::string_view text) {
    Walk walk(context_, &watched_programs);
    walk.walk_all(text);
    Findings& found = walk.findings;
    add_names(found.names(), result_.names);
    add_names(walk.expander.outside_names(), result_.variables);
    result_.uses_directory = found.uses_start();
    for (const SeenCommand& command : found.commands()) judge_command(command);
    if (std::ranges::all_of(found.commands(), only_shows)) result_.variables.clear();
    if (walk.state.has_fork_bomb()) add({RuleClass::hardline, "fork bomb", "fork bomb", {}});
    for (Concern& concern : judge_sequences(found.commands(), paths_, context_.hermes_rules))
      add(std::move(concern));
    for (const Concern& concern : found.concerns()) add(concern);
    result_.uses_directory = result_.uses_directory || paths_.asked_for_project();
  }

  Judgement result() { return std::move(result_); }

 private:
  void judge_command(const SeenCommand& command) {
    show(command);
    const Arguments arguments(command, paths_);
    const UserRule* const own = find_user_rule(context_, arguments);
    if (own != nullptr && own->answer != Answer::allow) {
      const std::string key = user_rule_key(*own);
      add({RuleClass::user, key, key, shown_words(command)});
      if (own->answer == Answer::deny) result_.answer = Answer::deny;
    }
    const bool allowed = (own != nullptr && own->answer == Answer::allow) ||
                         removes_temporary(command) ||
                         (!context_.hermes_rules &&
                          (own_work_.covers(command, arguments) || asks_for_help(command)));
    own_work_.note(command, arguments);
    bool dangerous = allowed;
    for (const Rule* rule : rules_for(command.program)) {
      if (rule->set == (context_.hermes_rules ? RuleSet::talaria : RuleSet::hermes)) continue;
      const RuleClass rule_class = class_of(*rule, command);
      const bool floor = weight(command.elsewhere ? rule_class : rule->rule_class) <=
                         weight(RuleClass::sudo_stdin);
      const bool counts = floor || !(dangerous || is_customary_guess(command));
      if (!counts || !holds(*rule, arguments)) continue;
      if (rule->rule_class == RuleClass::sudo_stdin && context_.sudo_password_known) continue;
      dangerous = dangerous || rule_class == RuleClass::dangerous;
      add({rule_class, std::string(rule->key),
           std::string(rule->why.empty() ? rule->key : rule->why), words_of(command),
           command.directory});
    }
    result_.uses_directory = result_.uses_directory || arguments.uses_start();
  }

  void show(const SeenCommand& command) {
    if (command.words.empty() || result_.commands.size() >= kMaxShownCommands) return;
    if (is_customary_guess(command)) return;  // it is shown as what it is
    result_.commands.push_back(shown_words(command));
  }

  void add(Concern concern) { add_concern(result_, std::move(concern)); }

  void add_names(const Names& names, std::vector<std::string>& to) {
    const auto too_long = [](const std::string& name) { return name.size() > kMaxNameBytes; };
    if (names.size() > kMaxNames || std::ranges::any_of(names, too_long)) {
      add({RuleClass::unclear,
           "too much to follow",
           "its names of commands or variables are too many or too long",
           {}});
    } else {
      to.assign(names.begin(), names.end());
    }
  }

  const GuardContext& context_;
  PathKinds paths_;
  OwnWork own_work_;
  Judgement result_;
};

}  // namespace

Judgement judge(std::string_view command, const GuardContext& context) {
  Judge judge(context);
  if (command.size() > kMaxCommandBytes) {
    Judgement judgement{.answer = Answer::ask};
    judgement.concerns.push_back(
        {RuleClass::unclear, "command is too long to be judged", "it has more than 4 MB", {}});
    return judgement;
  }
  const Readings readings = readings_of(command);
  judge.judge(readings.text);
  Judgement first = judge.result();
  // The other readings count only for what they would clearly do.
  for (const std::string& text : readings.others) {
    Judge another(context);
    another.judge(text);
    Judgement other = another.result();
    first.uses_directory = first.uses_directory || other.uses_directory;
    for (Concern& concern : other.concerns) {
      if (concern.rule_class != RuleClass::unclear) add_concern(first, std::move(concern));
    }
  }
  return first;
}

// As a here-document of the interpreter: it is read, followed and compared with the rules like one.
Judgement judge_program(std::string_view program, std::string_view interpreter,
                        const GuardContext& context) {
  const std::string end = "END_" + sha256_hex(program);  // which the program does not hold
  std::string command(interpreter);
  command.append(" - <<'").append(end).append("'\n").append(program);
  command.append("\n").append(end).append("\n");
  Judgement judgement = judge(command, context);
  judgement.names.clear();  // it is no command of the session
  return judgement;
}

}  // namespace talaria::guard
