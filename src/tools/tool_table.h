// Every tool there is. To add one: write its file, then add its line here.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tools/execute_code.h"
#include "tools/files/patch.h"
#include "tools/files/read_file.h"
#include "tools/files/search_files.h"
#include "tools/files/write_file.h"
#include "tools/process.h"
#include "tools/terminal.h"
#include "tools/tool.h"
#include "tools/web_extract.h"
#include "tools/web_search.h"

namespace talaria::tool {

inline constexpr std::array kTools{
    Tool{"terminal", kTerminalDescription, kTerminalSchema, terminal},
    Tool{"process", kProcessDescription, kProcessSchema, process, nullptr, true},
    Tool{"read_file", kReadFileDescription, kReadFileSchema, read_file_tool, nullptr, true},
    Tool{"write_file", kWriteFileDescription, kWriteFileSchema, write_file_tool},
    Tool{"search_files", kSearchFilesDescription, kSearchFilesSchema, search_files_tool},
    Tool{"patch", kPatchDescription, kPatchSchema, patch_tool},
    Tool{"execute_code", "", "", execute_code, describe_execute_code, false, execute_code_schema},
    Tool{"web_search", kWebSearchDescription, kWebSearchSchema, web_search},
    Tool{"web_extract", kWebExtractDescription, kWebExtractSchema, web_extract},
};

// The description for a model that may use these tools (absent: all).
std::string description_of(const Tool& tool, const host::Config& config,
                           const std::optional<std::vector<std::string>>& tools = std::nullopt);
std::string schema_of(const Tool& tool,
                      const std::optional<std::vector<std::string>>& tools = std::nullopt);

// Null if there is none of that name.
const Tool* find_tool(std::string_view name);

// "a, b, c": for the message that says which tools there are.
std::string tool_names();

}  // namespace talaria::tool
