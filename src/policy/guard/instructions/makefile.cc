#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "policy/guard/instructions/instructions.h"
#include "policy/guard/run/seen_command.h"
#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// One that has a place in a shell.
bool is_shell_name(std::string_view name) {
  return !name.empty() && is_name_start(name.front()) && std::ranges::all_of(name, is_name_char);
}

// Where what `open` opens at `at` ends; the end of the text, if it never does.
std::size_t closing(std::string_view text, std::size_t at) {
  const char open = text[at];
  const char close = open == '(' ? ')' : '}';
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == open) ++depth;
    if (text[at] == close && --depth == 0) return at;
  }
  return text.size();
}

class Makefile {
 public:
  explicit Makefile(bool any_blank) : any_blank_(any_blank) {}

  void read(std::string_view text) {
    while (!text.empty()) read_line(next_logical_line(text));
  }

  std::string script(const std::vector<std::string>& goals) {
    std::string given;
    std::vector<std::string> targets;
    for (const std::string& goal : goals) {
      const std::size_t equals = goal.find('=');
      if (equals == std::string::npos) {
        targets.push_back(goal);
      } else if (is_shell_name(std::string_view(goal).substr(0, equals))) {
        given += goal.substr(0, equals) + "=" + quoted(goal.substr(equals + 1)) + "\n";
      }
    }
    if (targets.empty() && !first_.empty()) targets.push_back(first_);
    std::string out = "MAKE=make\nRM='rm -f'\n";
    // what is assigned later counts where it is used
    out += assignments_ + assignments_ + given;
    for (const std::string& name : used_) {
      if (!assigned_.contains(name) && !is_customary(name)) out += ": \"${" + name + "=}\"\n";
    }
    return out + always_ + recipes_of(std::move(targets));
  }

 private:
  struct Target {
    std::vector<std::string> needs;
    std::string recipe;
  };

  // What comes from the environment, and tools that the guard knows by their variables.
  static bool is_customary(std::string_view name) {
    return among(name,
                 "CC CXX LD AR MAKE RM CMAKE PYTHON PYTHON3 PIP PYTEST NODE NPM CARGO GO JAVA "
                 "DOCKER KUBECTL SUDO HOME PWD PATH SHELL USER CURDIR __unknown__");
  }

  static std::string next_logical_line(std::string_view& text) {
    std::string line;
    while (!text.empty()) {
      const std::string_view piece = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(piece.size() + 1, text.size()));
      line += piece;
      if (!line.ends_with('\\') || text.empty()) break;
      line += '\n';
    }
    return line;
  }

  // The text as a shell would have it. `quotes`: it stands between double quotes.
  std::string converted(std::string_view text, bool quotes) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == kUnknownPiece) {
        out += kUnknownVariable;
      } else if (quotes && (c == '"' || c == '\\' || c == '`')) {
        out += '\\';
        out += c;
      } else if (c != '$' || i + 1 == text.size()) {
        out += c;
      } else if (const char next = text[++i]; next == '$') {
        out += quotes ? "\\$" : "$";
      } else if (next == '(' || next == '{') {
        const std::size_t end = closing(text, i);
        out += reference(text.substr(i + 1, end - i - 1));
        i = end;
      } else {
        out += reference(text.substr(i, 1));
      }
    }
    return out;
  }

  // $(NAME), $(shell command), $(function …)
  std::string reference(std::string_view inner) {
    if (is_shell_name(inner)) {
      used_.insert(std::string(inner));
      return "${" + std::string(inner) + "}";
    }
    if (inner.starts_with("shell ") || inner.starts_with("shell\t")) {
      return depth_ > 8 ? std::string(kUnknownVariable) : "$(" + deeper(inner.substr(6)) + "\n)";
    }
    for (std::size_t at = 0; (at = inner.find("shell ", at)) != std::string_view::npos; ++at) {
      if (at == 0 || depth_ > 8) continue;
      const std::size_t open = inner.rfind('$', at);
      if (open == std::string_view::npos || at - open != 2) continue;
      const std::size_t end = closing(inner, open + 1);
      always_ += deeper(inner.substr(at + 6, end - at - 6)) + "\n";
      at = end;
    }
    if (inner.starts_with("file ")) {  // $(file >path,text)
      always_ += ": " + deeper(inner.substr(5, inner.find(',') - 5)) + "\n";
    }
    if (inner.starts_with("eval ")) always_ += std::string(kUnknownVariable) + "\n";
    return std::string(kUnknownVariable);
  }

  std::string deeper(std::string_view text) {
    ++depth_;
    std::string out = converted(text, false);
    --depth_;
    return out;
  }

  std::string quoted(std::string_view text) { return "\"" + converted(text, true) + "\""; }

  void read_line(const std::string& line) {
    const bool recipe =
        !line.empty() && (line.front() == '\t' || (any_blank_ && is_blank(line.front())));
    if (in_define_) {
      in_define_ = !trim(line).starts_with("endef");
      if (in_define_) add_recipe(line, always_);
      return;
    }
    if (recipe && !current_.empty()) {
      for (const std::string& target : current_) add_recipe(line, targets_[target].recipe);
      return;
    }
    std::string_view text = trim(std::string_view(line).substr(0, line.find('#')));
    for (const std::string_view word : {"export ", "override ", "unexport "}) {
      if (text.starts_with(word)) text = trim(text.substr(word.size()));
    }
    if (text.empty()) return;
    if (text.starts_with("define ")) {
      in_define_ = true;
    } else if (!read_assignment(text)) {
      read_rule(text);
    }
  }

  bool read_assignment(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) return false;
    std::size_t end = equals;
    while (end > 0 && std::string_view(":+?!").contains(text[end - 1])) --end;
    const std::string_view how = text.substr(end, equals - end);
    std::string_view name = trim(text.substr(0, end));
    if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) {
      name = trim(name.substr(colon + 1));  // of one target
    }
    const std::string_view value = trim(text.substr(equals + 1));
    if (name.contains(' ') || name.contains('\t')) return false;
    // which make is asked about anyway
    if (among(name, "SHELL .SHELLFLAGS")) {
      always_ += "make " + std::string(name) + "=" + quoted(value) + "\n";
    }
    if (how == "!") always_ += converted(value, false) + "\n";
    if (!is_shell_name(name)) return !name.empty();
    const std::string shell_name(name);
    if (how == "?") {
      assignments_ += ": \"${" + shell_name + "=" + converted(value, true) + "}\"\n";
    } else if (how == "+") {
      assignments_ += shell_name + "+=" + quoted(" " + std::string(value)) + "\n";
    } else if (how != "!") {
      assignments_ += shell_name + "=" + quoted(value) + "\n";
    }
    assigned_.insert(shell_name);
    return true;
  }

  void read_rule(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
      if (text.starts_with("include") || text.starts_with("-include")) return;
      always_ += ": " + quoted(text) + "\n";  // $(info …), $(shell …)
      return;
    }
    current_.clear();
    const std::string names = converted(text.substr(0, colon), false);
    const std::string_view behind =
        text.substr(std::min(text.find_first_not_of(":&", colon), text.size()));
    const std::size_t semicolon = std::min(behind.find(';'), behind.size());
    const std::string needs = converted(behind.substr(0, semicolon), false);
    for (std::string_view rest = names; !rest.empty();) {
      const std::string target(next_word(rest));
      if (target.empty() || current_.size() > 64) continue;
      current_.push_back(target);
      Target& one = targets_[target];
      for (std::string_view more = needs; !more.empty() && one.needs.size() < 1000;) {
        if (const std::string_view need = next_word(more); !need.empty())
          one.needs.emplace_back(need);
      }
      if (semicolon < behind.size())
        add_recipe(std::string(behind.substr(semicolon + 1)), one.recipe);
      const bool special = target.starts_with('.') && !target.contains('/');
      if (first_.empty() && !special && !target.contains('%')) first_ = target;
    }
  }

  void add_recipe(std::string_view line, std::string& recipe) {
    line = trim(line);
    while (!line.empty() && std::string_view("@-+ \t").contains(line.front()))
      line.remove_prefix(1);
    if (!line.empty()) recipe += "( " + converted(line, false) + "\n)\n";
  }

  // Of what the targets need, too. What is not plain may be any of them.
  std::string recipes_of(std::vector<std::string> todo) {
    std::string out;
    std::set<std::string> done;
    bool all = false;
    while (!todo.empty()) {
      const std::string name = std::move(todo.back());
      todo.pop_back();
      if (!done.insert(name).second) continue;
      all = all || name.contains('$') || name.contains(kUnknownPiece);
      const auto found = targets_.find(name);
      if (found == targets_.end()) continue;
      out += found->second.recipe;
      std::ranges::copy(found->second.needs, std::back_inserter(todo));
    }
    for (const auto& [name, target] : targets_) {
      const bool may = all || name.contains('%') || name.contains('$') || name.starts_with('.');
      if (may && !done.contains(name)) out += target.recipe;
    }
    return out;
  }

  bool any_blank_;
  int depth_ = 0;
  bool in_define_ = false;
  std::string assignments_;
  std::string always_;  // what runs whatever the goals are
  std::map<std::string, Target> targets_;
  std::vector<std::string> current_;
  std::string first_;
  std::set<std::string> used_;
  std::set<std::string> assigned_;
};

}  // namespace

std::string makefile_script(std::string_view text, const std::vector<std::string>& goals,
                            bool any_blank) {
  Makefile makefile(any_blank);
  makefile.read(text);
  return makefile.script(goals);
}

}  // namespace talaria::guard
