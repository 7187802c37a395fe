// The configuration in words: a table for people, JSON for programs, markdown for the
// documentation. Secrets are never in it.
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "front/cli/terminal.h"
#include "host/config/resolve.h"

namespace talaria {

// `all`: also what does not count for the target and was not set.
std::string config_table(const Resolution& resolution, bool all, const TextStyle& style);

// `notices` are the resolution's, or those of the Config made from it, which has more.
json::object config_json(const Resolution& resolution, const std::vector<std::string>& notices);

// Every setting there is, as docs/configuration.md has it.
std::string config_markdown();

}  // namespace talaria
