// hermes_tools: the module a script imports to call tools. Made anew for each script, with the
// tools it may call.
#pragma once

#include <talaria/call.h>

#include <string>
#include <string_view>
#include <vector>

namespace talaria::tool {

// What a script can be allowed at all, in the order of a description.
inline constexpr std::string_view kScriptTools[] = {
    "web_search", "web_extract", "read_file", "write_file", "search_files", "patch", "terminal"};

// Its functions: of those tools, and what it always has. One of `own`, which may be null, takes any
// arguments by name.
std::string script_module(const std::vector<std::string>& tools, const OwnTools* own = nullptr);

// "terminal(command: str, timeout: int = None, workdir: str = None)"; empty: it is none.
std::string script_signature(std::string_view tool);
// What it returns, in outline: "{\"output\", \"exit_code\"}".
std::string script_returns(std::string_view tool);

}  // namespace talaria::tool
