#include "front/cli/config_front.h"

#include <string>

#include "front/cli/config_text.h"
#include "json/json_text.h"

namespace talaria {
namespace {

int no_configuration(const Error& error, const ConfigOptions& options, const Stdio& stdio) {
  if (options.json) {
    write_fully(stdio.out, to_line({{"errors", json::array{error.message()}}}) + "\n");
  } else {
    complain(stdio, error.message());
  }
  return kConfigInvalid;
}

}  // namespace

int config_front(const ConfigOptions& options, const Stdio& stdio) {
  if (options.doc) {
    write_fully(stdio.out, config_markdown());
    return 0;
  }
  const Result<Configuration> found =
      read_configuration({.settings = options.settings, .lifetime = Lifetime::command_line});
  if (!found) return no_configuration(found.error(), options, stdio);

  if (options.json) {
    write_fully(stdio.out, to_line(config_json(*found)) + "\n");
  } else {
    write_fully(stdio.out, config_table(*found, options.all, style_for(stdio.out)));
    for (const std::string& notice : found->notices) complain(stdio, notice);
    for (const std::string& error : found->errors) complain(stdio, error);
  }
  return found->errors.empty() ? 0 : kConfigInvalid;
}

}  // namespace talaria
