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
    Tool{.name = "terminal",
         .description = kTerminalDescription,
         .run = terminal,
         .schema_for = terminal_schema,
         .also = "force check_interval yield_ms"},
    Tool{.name = "process",
         .description = kProcessDescription,
         .run = process,
         .gives_pages = true,
         .schema_for = process_schema,
         .also = "raw"},
    Tool{"read_file", kReadFileDescription, kReadFileSchema, read_file_tool, nullptr, true},
    Tool{"write_file", kWriteFileDescription, kWriteFileSchema, write_file_tool},
    Tool{"search_files", kSearchFilesDescription, kSearchFilesSchema, search_files_tool},
    Tool{"patch", kPatchDescription, kPatchSchema, patch_tool},
    Tool{.name = "execute_code",
         .run = execute_code,
         .describe = describe_execute_code,
         .schema_for = execute_code_schema},
    Tool{.name = "web_search",
         .description = kWebSearchDescription,
         .schema = kWebSearchSchema,
         .run = web_search,
         .is_offered = can_search_web},
    Tool{"web_extract", kWebExtractDescription, kWebExtractSchema, web_extract},
};

// The description for a model that may use these tools (absent: all).
std::string description_of(const Tool& tool, const host::Config& config,
                           const std::optional<std::vector<std::string>>& tools = std::nullopt);
std::string schema_of(const Tool& tool, const host::Config& config,
                      const std::optional<std::vector<std::string>>& tools = std::nullopt);
bool is_offered(const Tool& tool, const host::Config& config);

// Those that a model is offered that may use `only` (absent: all).
std::vector<ToolInfo> list_tools(
    const host::Config& config, const std::optional<std::vector<std::string>>& only = std::nullopt);

// What is wrong with the names of these arguments; empty if nothing is.
std::string argument_flaw(const Tool& tool, const json::object& arguments);

// Null if there is none of that name.
const Tool* find_tool(std::string_view name);

// "a, b, c": for the message that says which tools there are.
std::string tool_names();

}  // namespace talaria::tool
