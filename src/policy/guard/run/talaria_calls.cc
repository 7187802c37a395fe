#include <algorithm>
#include <string>
#include <utility>

#include "json/fields.h"
#include "json/json_text.h"
#include "policy/guard/run/inner.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/wrapper.h"
#include "policy/guard/word_list.h"
#include "shell/quote.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxLines = 1000;
constexpr std::size_t kMaxJson = 256 * 1024;
const std::string kEnd = "end of what the tool writes";  // a line that no file has by chance

SeenWord unknown() { return {std::string(1, kUnknownPiece)}; }

// A path of a tool as a word of shell text.
std::string path_word(std::string_view path) {
  if (path == "~") return "~";
  if (!path.starts_with("~/")) return shell::single_quote(path);
  return "~/" + shell::single_quote(path.substr(2));
}

// A patch of the V4A format as the commands that do the same.
std::string patch_text(std::string_view patch) {
  std::string text;
  std::string path;
  while (!patch.empty()) {
    const std::string_view line = trim(next_word(patch, '\n'));
    const auto behind = [&](std::string_view start) {
      return line.starts_with(start) ? path_word(trim(line.substr(start.size()))) : std::string();
    };
    for (const std::string_view start : {"*** Update File:", "*** Add File:"}) {
      if (std::string written = behind(start); !written.empty()) {
        path = std::move(written);
        text += "cat > " + path + "\n";
      }
    }
    if (const std::string to = behind("*** Move to:"); !to.empty()) {
      text += "mv " + path + " " + to + "\n";
    }
    if (const std::string gone = behind("*** Delete File:"); !gone.empty()) {
      text += "rm " + gone + "\n";
    }
  }
  return text;
}

// What Talaria is asked to do, as the commands that would do the same.
class Calls {
 public:
  Calls(bool elsewhere, std::vector<InnerCommand>& inner) : elsewhere_(elsewhere), inner_(inner) {}

  void add_unknown() { inner_.push_back(run_text(unknown(), elsewhere_)); }

  void add_tool(std::string_view tool, const json::value& arguments) {
    const json::object* const object = arguments.if_object();
    if (object == nullptr) return;
    if (tool == "write_file") {
      add_text("cat > " + path_word(text_field(*object, "path")) + " <<'" + kEnd + "'\n" +
               text_field(*object, "content") + "\n" + kEnd + "\n");
    } else if (tool == "patch") {
      const std::string path = text_field(*object, "path");
      add_text((path.empty() ? "" : "cat > " + path_word(path) + "\n") +
               patch_text(text_field(*object, "patch")));
    } else if (tool == "execute_code") {
      add_words({"python3", "-c", text_field(*object, "code")});
    } else {
      add_terminal(*object);
    }
  }

  // {"id":1,"method":"approvals.yolo","params":{…}}
  void add_method(std::string_view method) {
    if (method == "approvals.answer") return add_words({"talaria", "approve", "id"});
    if (method == "env.override") return add_words({"talaria", "env", "override", "t", "a=b", "-"});
    if (method == "env.remove") return add_words({"talaria", "env", "rm", "id"});
    if (method == "processes.kill_all") return add_words({"talaria", "kill", "--all"});
    const bool changes = among(method, "approvals.yolo env.pass_through files.share");
    if (changes) add_words({"talaria", "config", "set", "approvals"});
  }

  // A call as a JSON-lines client or an MCP client writes it.
  void add_line(const json::object& call) {
    const std::string method = text_field(call, "method");
    if (const json::object* const params = object_field(call, "params")) {
      const json::value* const arguments = params->if_contains("arguments");
      if (method == "tools/call" && arguments != nullptr) {
        return add_tool(text_field(*params, "name"), *arguments);
      }
    }
    if (!method.empty()) return add_method(method);
    const json::value* const arguments = call.if_contains("args");
    if (arguments != nullptr) add_tool(text_field(call, "tool"), *arguments);
  }

  void add_words(std::initializer_list<std::string> words) {
    InnerCommand command{.elsewhere = elsewhere_, .reads_input = false};
    for (const std::string& word : words) command.words.push_back({word});
    inner_.push_back(std::move(command));
  }

 private:
  void add_text(std::string text) { inner_.push_back(run_text({std::move(text)}, elsewhere_)); }

  // Of `terminal` the command, of `process` what it types.
  void add_terminal(const json::object& arguments) {
    const std::string workdir = text_field(arguments, "workdir");
    const std::string cd = workdir.empty() ? "" : "cd " + path_word(workdir) + "\n";
    for (const char* const name : {"command", "data"}) {
      const json::value* const text = arguments.if_contains(name);
      if (text != nullptr && text->is_string()) add_text(cd + std::string(text->as_string()));
    }
  }

  bool elsewhere_;
  std::vector<InnerCommand>& inner_;
};

void add_json(const SeenWord& tool, const SeenWord& word, Calls& calls) {
  const bool readable = tool.known() && word.known() && word.text.size() <= kMaxJson;
  const ParsedJson parsed = parse_json(readable ? word.text : "");
  if (parsed.value) {
    calls.add_tool(tool.text, *parsed.value);
  } else {
    calls.add_unknown();
  }
}

// {"id":1,"tool":"terminal","args":{"command":"ls"}}, one a line
void add_lines(const SeenInput& input, Calls& calls) {
  using Kind = SeenInput::Kind;
  if (input.kind == Kind::inherited || input.kind == Kind::open) return;  // see shell_call.h
  std::string_view lines = input.text ? std::string_view(*input.text) : "";
  if (!input.text) calls.add_unknown();
  for (std::size_t count = 0; !lines.empty(); ++count) {
    const std::string_view line = next_word(lines, '\n');
    if (trim(line).empty()) continue;
    const ParsedJson parsed = parse_json(line.size() <= kMaxJson ? line : "");
    const json::object* const call = parsed.value ? parsed.value->if_object() : nullptr;
    if (call == nullptr || count > kMaxLines) return calls.add_unknown();
    calls.add_line(*call);
  }
}

}  // namespace

void add_talaria_commands(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const std::string_view verb = command.word(1);
  if (!among(verb, "exec start call code mcp attach")) return;
  const std::vector<SeenWord> targets = option_values(command, '\0', "target");
  const bool elsewhere = !targets.empty() && targets.back().text != "local";
  Calls calls(elsewhere, inner);

  std::vector<std::string_view> views;
  for (const SeenWord& word : command.words) views.emplace_back(word.text);
  const std::size_t at =
      behind_options(views, 2, {.names = "task timeout workdir target lifetime max-age watch cwd"});
  if (verb == "attach" && command.input.text) {
    inner.push_back(run_text({*command.input.text}, elsewhere));  // it types that
  }
  if (verb == "attach") return;
  if (verb == "mcp") {
    if (at >= command.words.size()) add_lines(command.input, calls);
    return;
  }
  if (verb == "call") {
    if (at + 1 < command.words.size()) {
      add_json(command.words[at], command.words[at + 1], calls);
    }
    if (std::ranges::find(views, "--lines") != views.end()) add_lines(command.input, calls);
    return;
  }
  if (at >= command.words.size()) return;
  std::vector<SeenWord> directories = option_values(command, '\0', "workdir");
  if (directories.empty()) directories = option_values(command, '\0', "cwd");
  const std::string directory = directories.empty() ? "" : directories.back().text;
  if (verb == "code") {
    inner.push_back({.words = {{"python3"}, command.words[at]},
                     .elsewhere = elsewhere,
                     .directory = directory});
  } else if (at + 1 == command.words.size()) {
    SeenWord text = command.words[at];
    if (!directory.empty()) text.text = "cd " + path_word(directory) + "\n" + text.text;
    inner.push_back(run_text(std::move(text), elsewhere));
  } else {
    inner.push_back(
        {.words = words_from(command, at), .elsewhere = elsewhere, .directory = directory});
  }
}

}  // namespace talaria::guard
