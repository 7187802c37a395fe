#include "front/cli/config_front.h"

#include <string>

#include "front/cli/config_text.h"
#include "front/cli/report.h"

namespace talaria::front::cli {
namespace {

int no_configuration(const Error& error, const ConfigOptions& options, const Stdio& stdio) {
  if (options.json) {
    report_line({{"errors", json::array{error.message()}}}, stdio);
  } else {
    complain(stdio, error.message());
  }
  return kConfigInvalid;
}

}  // namespace

int config_front(const ConfigOptions& options, const Stdio& stdio) {
  if (options.doc) return report_text(config_markdown(), stdio);
  const Result<Configuration> found =
      read_configuration({.settings = options.settings, .lifetime = Lifetime::command_line});
  if (!found) return no_configuration(found.error(), options, stdio);

  int said = 0;
  if (options.json) {
    said = report_line(config_json(*found), stdio);
  } else {
    said = report_text(config_table(*found, options.all, style_for(stdio.out)), stdio);
    for (const std::string& notice : found->notices) complain(stdio, notice);
    for (const std::string& error : found->errors) complain(stdio, error);
  }
  return found->errors.empty() ? said : kConfigInvalid;
}

}  // namespace talaria::front::cli
