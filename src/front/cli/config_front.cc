#include <string>

#include "front/cli/config_text.h"
#include "front/cli/fronts.h"
#include "front/cli/report.h"

namespace talaria::front::cli {

int run_command(const ConfigOptions& options, const Stdio& stdio) {
  if (options.doc) return report_text(config_markdown(), stdio);
  const Result<Configuration> found =
      read_configuration({.settings = options.settings, .lifetime = Lifetime::command_line});
  if (!found) {
    if (!options.json) return report_error(found.error(), false, stdio);
    report_line({{"errors", json::array{found.error().message()}}}, stdio);
    return kFailed;
  }

  Configuration shown = *found;
  if (options.changed) {
    std::erase_if(shown.settings, [](const SettingValue& one) { return one.origin == "default"; });
  }
  int code = 0;
  if (options.json) {
    code = report_line(config_json(shown), stdio);
  } else {
    const bool none = options.changed && shown.settings.empty();
    code = report_text(
        none ? "No setting is set.\n" : config_table(shown, options.all, style_for(stdio.out)),
        stdio);
    for (const std::string& notice : found->notices) complain(stdio, notice);
    for (const std::string& error : found->errors) complain(stdio, error);
  }
  return found->errors.empty() ? code : kFailed;
}

}  // namespace talaria::front::cli
