#include "front/cli/at_once.h"

#include <exception>

#include "front/cli/approvals_front.h"
#include "front/cli/commands/commands.h"
#include "front/cli/completion.h"
#include "front/cli/doctor_front.h"
#include "front/cli/env_front.h"
#include "front/cli/guard_front.h"
#include "front/cli/man_page.h"
#include "front/cli/markdown_page.h"
#include "front/cli/mcp_install_front.h"
#include "front/cli/override_front.h"
#include "front/cli/report.h"
#include "front/cli/token_front.h"
#include "front/cli/tools_front.h"
#include "front/cli/version_front.h"
#include "front/run_front.h"

namespace talaria::front::cli {
namespace {

std::string text_for(ShellText wanted) {
  switch (wanted) {
    case ShellText::bash:
      return std::string(bash_completion());
    case ShellText::zsh:
      return std::string(zsh_completion());
    case ShellText::fish:
      return std::string(fish_completion());
    case ShellText::manual:
      return man_page(all_commands());
    case ShellText::markdown:
      return markdown_page(all_commands());
  }
  return "";
}

struct Answer {
  const Stdio& stdio;

  std::optional<int> operator()(const ShowText& show) const {
    if (show.is_error) {
      write_fully(stdio.err, show.text);
      return show.exit_code;
    }
    const int said = report_text(show.text, stdio);
    return show.exit_code == 0 ? said : show.exit_code;
  }
  std::optional<int> operator()(const ConfigOptions& options) const {
    return config_front(options, stdio);
  }
  std::optional<int> operator()(const ToolsOptions& options) const {
    return tools_front(options, stdio);
  }
  std::optional<int> operator()(const GuardExplainOptions& options) const {
    return guard_explain_front(options, stdio);
  }
  std::optional<int> operator()(const VersionOptions& options) const {
    return version_front(options, stdio);
  }
  std::optional<int> operator()(const EnvListOptions& options) const {
    return env_list_front(options, stdio);
  }
  std::optional<int> operator()(const EnvShowOptions& options) const {
    return env_show_front(options, stdio);
  }
  std::optional<int> operator()(const EnvRemoveOptions& options) const {
    return env_remove_front(options, stdio);
  }
  std::optional<int> operator()(const EnvOverrideOptions& options) const {
    return override_front(options, stdio);
  }
  std::optional<int> operator()(const StopOptions& options) const {
    return stop_front(options, stdio);
  }
  std::optional<int> operator()(const DoctorOptions& options) const {
    return doctor_front(options, stdio);
  }
  std::optional<int> operator()(const CompletionOptions& options) const {
    return report_text(text_for(options.text), stdio);
  }
  std::optional<int> operator()(const CompleteOptions& options) const {
    return report_text(complete(Home(), options.words), stdio);
  }
  std::optional<int> operator()(const ApprovalsOptions& options) const {
    return approvals_front(options, stdio);
  }
  std::optional<int> operator()(const AnswerOptions& options) const {
    return answer_front(options, stdio);
  }
  std::optional<int> operator()(const AuditOptions& options) const {
    return audit_front(options, stdio);
  }
  std::optional<int> operator()(const TokenAddOptions& options) const {
    return token_add_front(options, stdio);
  }
  std::optional<int> operator()(const TokenListOptions& options) const {
    return token_list_front(options, stdio);
  }
  std::optional<int> operator()(const TokenRevokeOptions& options) const {
    return token_revoke_front(options, stdio);
  }
  std::optional<int> operator()(const McpInstallOptions& options) const {
    return mcp_install_front(options, stdio);
  }
  std::optional<int> operator()(const auto&) const { return std::nullopt; }
};

}  // namespace

std::optional<int> answer_at_once(const CommandLine& line, const Stdio& stdio) {
  try {
    return std::visit(Answer{stdio}, line);
  } catch (...) {
    complain_of_bug(stdio, std::current_exception());
    return kFailed;
  }
}

}  // namespace talaria::front::cli
