#include "policy/guard/run/texts.h"

#include <algorithm>

#include "policy/guard/run/walk.h"

namespace talaria::guard {
namespace {

constexpr int kMaxEvaluations = 8;  // names whose values are names

// = += <<= and the like, ++ and --; but not == != <= >=.
bool assigns(std::string_view text) {
  if (text.contains("++") || text.contains("--")) return true;
  for (std::size_t i = text.find('='); i != std::string_view::npos; i = text.find('=', i + 1)) {
    const char before = i > 0 ? text[i - 1] : '\0';
    const bool shifts = i > 1 && text[i - 2] == before;
    if (i + 1 < text.size() && text[i + 1] == '=') {
      ++i;
    } else if (before != '!' && ((before != '<' && before != '>') || shifts)) {
      return true;
    }
  }
  return false;
}

// a[$(command)], a[`command`], a[$x]
bool has_running_subscript(std::string_view text) {
  for (std::size_t at = 0; (at = text.find('[', at)) != std::string_view::npos; ++at) {
    if (at == 0 || !is_name_char(text[at - 1])) continue;
    const std::string_view subscript = text.substr(at, text.find(']', at) - at);
    if (subscript.find_first_of("$`") != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

void Texts::expand(const std::string& text) {
  if (text.find_first_of("$`") == std::string::npos) return;
  if (walk_.now.depth >= kMaxDepth) {
    return walk_.findings.say_too_deep("it runs text in text in text, too deep to follow");
  }
  walk_.findings.budget().spend(text.size());
  ReadState state;
  texts_.push_back(ScriptReader(text, state).read_document_body());
  if (!state.trouble.empty()) {
    return walk_.findings.say_unclear("unreadable command text",
                                      "the text cannot be read as bash would: " + state.trouble);
  }
  const Kept<int> deeper(walk_.now.depth, walk_.now.depth + 1);
  walk_.expander.expand_whole(texts_.back());
}

void Texts::expand_prompt(const std::string& prompt) {
  // \044 is a dollar there, \140 a backquote
  if (prompt.contains(kUnknownPiece) || prompt.contains("\\044") || prompt.contains("\\140")) {
    walk_.findings.say_unclear("text that is not known is run as commands",
                               "what a prompt runs is known only when it is shown");
  }
  expand(prompt);
}

void Texts::evaluate(std::string_view text) { evaluate(text, 0); }

void Texts::evaluate(std::string_view text, int depth) {
  walk_.findings.budget().spend(text.size());
  if (has_running_subscript(text) || depth > kMaxEvaluations) {
    walk_.findings.say_unclear("arithmetic that may run commands",
                               "a subscript such as a[$(command)] runs its command");
    return expand(std::string(text));
  }
  const bool changes = assigns(text);
  Variables& variables = walk_.state.variables();
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_name_char(text[end])) ++end;
    const std::string_view name = text.substr(i, end - i);
    i = std::max(end, i + 1);
    if (name.empty() || !is_name_start(name.front())) continue;
    walk_.findings.budget().spend_words(1);
    const ShellVariable* const variable = variables.get(name);
    if (variable == nullptr || walk_.findings.budget().spent()) continue;
    const std::vector<Value> values = variable->values;
    for (const Value& value : values) {
      for (const SeenWord& item : value->items) {
        if (item.text != name) evaluate(item.text, depth + 1);
      }
    }
    if (changes) variables.forget(std::string(name));
  }
}

}  // namespace talaria::guard
