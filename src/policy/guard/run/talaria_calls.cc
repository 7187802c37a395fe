#include <algorithm>
#include <string>
#include <utility>

#include "json/json_text.h"
#include "policy/guard/run/inner.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/wrapper.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxLines = 1000;
constexpr std::size_t kMaxJson = 256 * 1024;

SeenWord unknown() { return {std::string(1, kUnknownPiece)}; }

// The arguments of a tool: of `terminal` the command, of `process` what it types.
void add_tool(const json::value& arguments, bool elsewhere, std::vector<InnerCommand>& inner) {
  const json::object* const object = arguments.if_object();
  if (object == nullptr) return;
  for (const char* const name : {"command", "data"}) {
    const json::value* const text = object->if_contains(name);
    if (text != nullptr && text->is_string()) {
      inner.push_back(run_text({std::string(text->as_string())}, elsewhere));
    }
  }
}

void add_json(const SeenWord& word, bool elsewhere, std::vector<InnerCommand>& inner) {
  const bool readable = word.known() && word.text.size() <= kMaxJson;
  const ParsedJson parsed = parse_json(readable ? word.text : "");
  if (parsed.value) {
    add_tool(*parsed.value, elsewhere, inner);
  } else {
    inner.push_back(run_text(unknown(), elsewhere));
  }
}

// {"id":1,"tool":"terminal","args":{"command":"ls"}}, one a line
void add_lines(const SeenInput& input, bool elsewhere, std::vector<InnerCommand>& inner) {
  if (input.kind == SeenInput::Kind::inherited) return;
  std::string_view lines = input.text ? std::string_view(*input.text) : "";
  if (!input.text) inner.push_back(run_text(unknown(), elsewhere));
  for (std::size_t count = 0; !lines.empty(); ++count) {
    const std::string_view line = next_word(lines, '\n');
    if (trim(line).empty()) continue;
    const ParsedJson parsed = parse_json(line.size() <= kMaxJson ? line : "");
    const json::object* const call = parsed.value ? parsed.value->if_object() : nullptr;
    if (call == nullptr || count > kMaxLines) {
      inner.push_back(run_text(unknown(), elsewhere));
      return;
    }
    if (const json::value* const arguments = call->if_contains("args")) {
      add_tool(*arguments, elsewhere, inner);
    }
  }
}

}  // namespace

void add_talaria_commands(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const std::string_view verb = command.word(1);
  if (!among(verb, "exec start call")) return;
  const std::vector<SeenWord> targets = option_values(command, '\0', "target");
  const bool elsewhere = !targets.empty() && targets.back().text != "local";

  std::vector<std::string_view> views;
  for (const SeenWord& word : command.words) views.emplace_back(word.text);
  const std::size_t at =
      behind_options(views, 2, {.names = "task timeout workdir target lifetime max-age watch cwd"});
  if (verb == "call") {
    if (at + 1 < command.words.size()) add_json(command.words[at + 1], elsewhere, inner);
    if (std::ranges::find(views, "--lines") != views.end()) {
      add_lines(command.input, elsewhere, inner);
    }
  } else if (at + 1 == command.words.size()) {
    inner.push_back(run_text(command.words[at], elsewhere));
  } else if (at < command.words.size()) {
    inner.push_back(
        {.words = {command.words.begin() + static_cast<std::ptrdiff_t>(at), command.words.end()},
         .elsewhere = elsewhere});
  }
}

}  // namespace talaria::guard
