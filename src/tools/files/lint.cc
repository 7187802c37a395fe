#include "tools/files/lint.h"

#include <array>
#include <chrono>
#include <set>
#include <utility>

#include "base/off_loop.h"
#include "base/text.h"
#include "shell/quote.h"
#include "tools/files/file_kinds.h"
#include "tools/files/syntax.h"

namespace talaria::tool {
namespace {

constexpr auto kLintPatience = std::chrono::seconds(30);
constexpr std::size_t kMostOutput = 20'000;  // bytes of a checker's output
constexpr int kAbsent = 127;
constexpr int kCannotCheck = 3;  // of kPythonCheck: it has no such parser

// Reads what the file holds from its input, so that nothing of it is run or imported.
constexpr std::string_view kPythonCheck = R"py(
import sys
source = sys.stdin.buffer.read()
def fail(error, line, column):
    print("%s: %s (line %s, column %s)" % (type(error).__name__, error.msg, line, column))
    sys.exit(1)
if sys.argv[1] == ".py":
    try:
        compile(source, sys.argv[2], "exec", dont_inherit=True, flags=1024)
    except SyntaxError as error:
        fail(error, error.lineno, error.offset)
    except ValueError as error:
        print("SyntaxError: %s" % error)
        sys.exit(1)
else:
    try:
        import tomllib
    except ImportError:
        sys.exit(3)
    try:
        tomllib.loads(source.decode())
    except ValueError as error:
        print("%s: %s" % (type(error).__name__, error))
        sys.exit(1)
)py";

// A program at the target that looks at the file itself.
struct Checker {
  std::string_view extension;
  std::string_view program;
  std::string_view command;  // in front of the path
};

constexpr auto kCheckers = std::to_array<Checker>({
    {".js", "node", "node --check"},
    {".ts", "npx", "npx --no-install tsc --noEmit"},
    {".go", "go", "go vet"},
    {".rs", "rustfmt", "rustfmt --check"},
});

// What these say when it is not the file that is wrong.
constexpr auto kUnusable = std::to_array<std::string_view>(
    {"This is not the tsc command you are looking for", "could not determine executable to run",
     "npm ERR!", "npm error", "npx canceled", "is not installed for the toolchain",
     "rustup could not choose a version", "go.mod file not found", "cannot find main module",
     "go: command not found"});

struct Finding {
  enum class Kind { ok, error, skipped } kind = Kind::ok;
  std::string text;  // what is wrong, or why it was skipped
};

Finding skipped(std::string why) { return {Finding::Kind::skipped, std::move(why)}; }

Finding from_flaw(std::optional<std::string> flaw) {
  if (!flaw) return {};
  return {Finding::Kind::error, std::move(*flaw)};
}

Task<Finding> run_checker(const FileCall& files, std::string program, std::string command,
                          std::string directory, std::optional<std::string> input) {
  const host::CommandVariables& variables = files.call().services.settings.variables();
  environment::CommandSpec spec{
      .command = "command -v " + program + " >/dev/null 2>&1 || exit 127; " + command,
      .workdir = std::move(directory),
      .env = variables.child_env(),
      .carried_env = variables.carried_env(),
      .timeout = kLintPatience,
      .stdin_data = std::move(input),
      .head_limit = kMostOutput};
  const auto outcome = co_await files.environment().run(std::move(spec), files.call().cancel);
  if (!outcome) co_return skipped(program + " not usable: " + outcome.error().message());
  if (outcome->ended != CommandEnd::exited) co_return skipped(program + " not usable: no answer");
  const auto* exited = std::get_if<Exited>(&outcome->status);
  const int code = exited != nullptr ? exited->code : kAbsent + 1;
  const std::string output(trim(sanitize_utf8(outcome->head)));
  if (code == 0) co_return Finding{};
  if (code == kAbsent) co_return skipped(program + " not available");
  for (const std::string_view banner : kUnusable) {
    if (!output.contains(banner)) continue;
    co_return skipped(program + " not usable: " + output.substr(0, output.find('\n')));
  }
  if (code == kCannotCheck && output.empty()) {
    co_return skipped(program + " not usable: no parser for this kind of file");
  }
  co_return Finding{Finding::Kind::error, output};
}

// Checks that read nothing but the text; nothing for other kinds of files.
Task<std::optional<Finding>> check_text(const FileCall& files, std::string path,
                                        const std::string& content) {
  const std::string kind = extension_of(path);
  if (kind == ".json") {
    co_return from_flaw(
        co_await off_loop_if_large(content.size(), [&] { return json_flaw(content); }));
  }
  if (kind == ".yaml" || kind == ".yml") {
    co_return from_flaw(
        co_await off_loop_if_large(content.size(), [&] { return yaml_flaw(content); }));
  }
  if (kind != ".py" && kind != ".toml") co_return std::nullopt;
  const std::string command = "exec python3 -I -S -c " + shell::single_quote(kPythonCheck) + " " +
                              kind + " " + shell::single_quote(path);
  co_return co_await run_checker(files, "python3", command, "/", content);
}

Task<Finding> check_file(const FileCall& files, std::string path) {
  const std::string kind = extension_of(path);
  for (const Checker& checker : kCheckers) {
    if (checker.extension != kind) continue;
    const std::string directory = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
    co_return co_await run_checker(
        files, std::string(checker.program),
        "exec " + std::string(checker.command) + " " + shell::single_quote(path), directory,
        std::nullopt);
  }
  co_return skipped("No linter for " + (kind.empty() ? "such" : kind) + " files");
}

json::object describe(const Finding& finding) {
  switch (finding.kind) {
    case Finding::Kind::ok:
      return {{"status", "ok"}, {"output", ""}};
    case Finding::Kind::skipped:
      return {{"status", "skipped"}, {"message", finding.text}};
    case Finding::Kind::error:
      break;
  }
  return {{"status", "error"}, {"output", finding.text}};
}

// Only what was not wrong before is the writer's doing.
json::object describe_change(const Finding& now, const Finding& before) {
  std::set<std::string_view> known;
  for (std::string_view rest = before.text; !rest.empty();) known.insert(next_word(rest, '\n'));
  std::string fresh;
  for (std::string_view rest = now.text; !rest.empty();) {
    const std::string_view line = next_word(rest, '\n');
    if (!known.contains(line)) fresh += "\n" + std::string(line);
  }
  json::object result = describe(now);
  if (fresh.empty()) {
    result["message"] =
        "Pre-existing lint errors — this edit didn't introduce new ones but the file is still "
        "broken.";
  } else {
    result["output"] =
        "New lint errors introduced by this edit (pre-existing errors filtered out):" + fresh;
  }
  return result;
}

}  // namespace

bool lint_compares(const std::string& path) {
  const std::string kind = extension_of(path);
  return kind == ".json" || kind == ".yaml" || kind == ".yml" || kind == ".py" || kind == ".toml";
}

Task<json::object> lint(const FileCall& files, std::string path, const std::string& content,
                        const std::string* before) {
  if (content.size() > kMaxLinted) co_return describe(skipped("The file is too large to check"));
  const auto finding = co_await check_text(files, path, content);
  if (!finding) co_return describe(co_await check_file(files, std::move(path)));
  const bool compares = before && before->size() <= kMaxLinted;
  if (finding->kind != Finding::Kind::error || !compares) co_return describe(*finding);
  const auto old = co_await check_text(files, std::move(path), *before);
  if (!old || old->kind != Finding::Kind::error) co_return describe(*finding);
  co_return describe_change(*finding, *old);
}

}  // namespace talaria::tool
