#include "front/cli/fronts.h"

#include <exception>
#include <utility>

#include "front/cli/commands/commands.h"
#include "front/cli/completion.h"
#include "front/cli/help.h"
#include "front/cli/report.h"
#include "front/run_loop.h"

namespace talaria::front::cli {

int run_command(const ShowText& show, const Stdio& stdio) {
  if (show.is_error) {
    write_error(stdio, show.text);
    return show.exit_code;
  }
  const int code = report_text(show.text, stdio);
  return show.exit_code == 0 ? code : show.exit_code;
}

int run_command(const CompletionOptions& options, const Stdio& stdio) {
  if (options.format == "man") return report_text(man_page(all_commands()), stdio);
  if (options.format == "markdown") return report_text(markdown_page(all_commands()), stdio);
  return report_text(std::string(completion_script(options.format)), stdio);
}

int run_command(const CompleteOptions& options, const Stdio& stdio) {
  return report_text(complete(Home(), options.arguments), stdio);
}

std::optional<int> run_without_runtime(const CommandLine& line, const Stdio& stdio) {
  try {
    return std::visit(
        [&](const auto& options) -> std::optional<int> {
          if constexpr (requires { run_command(options, stdio); }) {
            return run_command(options, stdio);
          }
          return std::nullopt;
        },
        line);
  } catch (...) {
    complain_of_bug(stdio, std::current_exception());
    return kFailed;
  }
}

std::optional<Task<int>> run_with_runtime(AsioRuntime& runtime, CommandLine& line, Stdio stdio) {
  return std::visit(
      [&](auto& options) -> std::optional<Task<int>> {
        if constexpr (requires { run_command(runtime, std::move(options), stdio); }) {
          return run_command(runtime, std::move(options), stdio);
        }
        return std::nullopt;
      },
      line);
}

int failure_code(const CommandLine& line) {
  const bool returns_code_of_process = std::holds_alternative<ExecOptions>(line) ||
                                       std::holds_alternative<AttachOptions>(line) ||
                                       std::holds_alternative<WaitOptions>(line);
  return returns_code_of_process ? kExecFailed : kFailed;
}

}  // namespace talaria::front::cli
