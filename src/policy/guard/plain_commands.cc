#include "policy/guard/plain_commands.h"

#include <algorithm>
#include <utility>

#include "policy/guard/run/seen_command.h"
#include "policy/guard/run/wrapper.h"
#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

// Those that stay in the foreground and give the program's own status.
constexpr std::string_view kTransparent = "sudo env command builtin exec nice ionice stdbuf time";

class PlainReader {
 public:
  explicit PlainReader(std::string_view text) : text_(text) {}

  std::vector<PlainCommand> read(const ShellList& list) {
    add_list(list, {});
    return std::move(found_);
  }

 private:
  std::string written(const ShellWord& word) const {
    std::string plain;
    for (const WordPart& part : word.parts) {
      if (part.kind != WordPart::Kind::text) {
        return std::string(text_.substr(word.begin, word.end - word.begin));
      }
      plain += part.text;
    }
    return plain;
  }

  void add_list(const ShellList& list, const PlainCommand& around) {
    for (const ShellPipeline& pipeline : list.pipelines) {
      PlainCommand one = around;
      one.background = one.background || pipeline.after == AfterPipeline::background;
      one.negated = one.negated != pipeline.negated;
      for (const ShellCommand& command : pipeline.commands) add_command(command, one);
    }
  }

  void add_substituted(const ShellWord& word) {
    for (const WordPart& part : word.parts) {
      if (!part.detail) continue;
      add_substituted(part.detail->argument);
      add_list(part.detail->list, {.substituted = true});
    }
  }

  void add_command(const ShellCommand& command, PlainCommand one) {
    for (const ShellAssignment& assignment : command.assignments) add_substituted(assignment.value);
    for (const ShellWord& word : command.words) add_substituted(word);
    for (const ShellRedirect& redirect : command.redirects) add_substituted(redirect.target);
    for (const ShellList& list : command.lists) add_list(list, one);
    for (const CaseArm& arm : command.arms) add_list(arm.body, one);
    if (command.kind == ShellCommand::Kind::condition) one.words.emplace_back("[[");
    if (command.kind == ShellCommand::Kind::simple) {
      for (const ShellWord& word : command.words) one.words.push_back(written(word));
      unwrap(one.words);
    }
    if (!one.words.empty()) found_.push_back(std::move(one));
  }

  static void unwrap(std::vector<std::string>& words) {
    while (!words.empty() && among(base_name(words.front()), kTransparent)) {
      const Wrapper* const wrapper = find_wrapper(base_name(words.front()));
      const std::vector<std::string_view> views(words.begin(), words.end());
      const std::size_t at = std::min(wrapped_at(*wrapper, views), words.size());
      words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  std::string_view text_;
  std::vector<PlainCommand> found_;
};

}  // namespace

std::optional<std::vector<PlainCommand>> plain_commands(std::string_view text) {
  const Script script = read_script(text);
  if (!script.trouble.empty()) return std::nullopt;
  return PlainReader(text).read(script.list);
}

}  // namespace talaria::guard
