#include "front/cli/config_front.h"

#include <string>

#include "front/cli/config_text.h"
#include "host/config.h"
#include "tools/json_text.h"

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

int config_front(const Caller& caller, const ConfigOptions& options, const Stdio& stdio) {
  if (options.doc) {
    write_fully(stdio.out, config_markdown());
    return 0;
  }
  const Result<ConfigSources> sources = read_sources(caller, options.settings);
  if (!sources) return no_configuration(sources.error(), options, stdio);
  const Resolution resolution = resolve(caller, *sources);
  const Result<Config> config = make_config(resolution, kCommandLineLifetime);
  const std::vector<std::string>& notices = config ? config->notices : resolution.notices;

  if (options.json) {
    write_fully(stdio.out, to_line(config_json(resolution, notices)) + "\n");
  } else {
    write_fully(stdio.out, config_table(resolution, options.all, style_for(caller, stdio.out)));
    for (const std::string& notice : notices) complain(stdio, notice);
    for (const std::string& error : resolution.errors()) complain(stdio, error);
  }
  return config ? 0 : kConfigInvalid;
}

}  // namespace talaria
