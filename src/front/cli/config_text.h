// The configuration as a table for people, as JSON, and as Markdown for the documentation. Secrets
// are never part of it.
#pragma once

#include <talaria/configuration.h>

#include <string>

#include <boost/json/object.hpp>

#include "front/cli/text_style.h"

namespace talaria::front::cli {

namespace json = boost::json;

// `all`: also settings that do not apply to the target and were not set.
std::string config_table(const Configuration& configuration, bool all, const TextStyle& style);

json::object config_json(const Configuration& configuration);

// All settings, as in docs/reference/configuration.md.
std::string config_markdown();

}  // namespace talaria::front::cli
