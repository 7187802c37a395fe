// Setting keys of one table in a TOML file that a person keeps: everything else stays as it is,
// byte for byte. No I/O.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace talaria::front::cli {

using TomlKeys = std::vector<std::pair<std::string, std::string>>;  // name, value as TOML text

// `text` with these keys in the table `table` ("mcp_servers.talaria"), which is made at the end if
// it is not there. The same text if it has them already. An error: it cannot be read, or the table
// is written in a way (inline, dotted keys) that is better changed by its owner.
Result<std::string> set_toml_keys(std::string_view text, std::string_view table,
                                  const TomlKeys& keys);

// Whether [table] says it. False, too, for what cannot be read.
bool has_toml_key(std::string_view text, std::string_view table, std::string_view key);

std::string toml_string(std::string_view text);

}  // namespace talaria::front::cli
