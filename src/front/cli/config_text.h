// The configuration in words: a table for people, JSON for programs, markdown for the
// documentation. Secrets are never in it.
#pragma once

#include <talaria/configuration.h>

#include <string>

#include <boost/json/object.hpp>

#include "front/cli/terminal.h"

namespace talaria::front::cli {

namespace json = boost::json;

// `all`: also what does not count for the target and was not set.
std::string config_table(const Configuration& configuration, bool all, const TextStyle& style);

json::object config_json(const Configuration& configuration);

// Every setting there is, as docs/reference/configuration.md has it.
std::string config_markdown();

}  // namespace talaria::front::cli
