#include "policy/guard/run/texts.h"

#include <algorithm>

#include "policy/guard/run/walk.h"

namespace talaria::guard {
namespace {

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
                                      "the command is not valid bash (" + state.trouble + ")");
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

void Texts::evaluate(std::string_view text) {
  walk_.findings.budget().spend(text.size());
  if (has_running_subscript(text)) {
    walk_.findings.say_unclear("arithmetic that may run commands",
                               "a subscript such as a[$(command)] runs its command");
    return expand(std::string(text));
  }
  if (!assigns(text)) return;
  for (std::size_t i = 0; i < text.size() && !walk_.findings.budget().spent();) {
    std::size_t end = i;
    while (end < text.size() && is_name_char(text[end])) ++end;
    const std::string name(text.substr(i, end - i));
    i = std::max(end, i + 1);
    walk_.findings.budget().spend_words(1);
    if (walk_.state.variables().has(name)) walk_.state.variables().forget(name);
  }
}

void Texts::check_value(std::string_view text) {
  if ((text.contains("$(") || text.contains('`')) && has_running_subscript(text)) evaluate(text);
}

}  // namespace talaria::guard
