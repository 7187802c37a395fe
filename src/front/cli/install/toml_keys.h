// Sets keys of one table in a TOML file that people edit: everything else stays byte for byte. No
// I/O.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace talaria::front::cli {

using TomlKeys = std::vector<std::pair<std::string, std::string>>;  // name, value as TOML text

// `text` with these keys in the table `table` ("mcp_servers.talaria"), which is added at the end if
// it is missing. The same text if it already has them. An error: the text cannot be parsed, or the
// table has an unsupported form (inline, dotted keys).
Result<std::string> set_toml_keys(std::string_view text, std::string_view table,
                                  const TomlKeys& keys);

// Whether [table] has the key. False if the text cannot be parsed.
bool has_toml_key(std::string_view text, std::string_view table, std::string_view key);

std::string toml_string(std::string_view text);

}  // namespace talaria::front::cli
