// Resources that clients can read, by URI:
//   exec://process/ID/output{?offset,limit}      the output of a process, from byte `offset`
//   exec://file/PATH{?offset,limit,task}         a file at the target, likewise
// and the links to them in results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace talaria::front::mcp {

namespace json = boost::json;

struct ResourceAddress {
  bool is_process = false;
  std::string name;  // the id of a process, or the path of a file
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> limit;
  std::string task;  // whose target; empty: that of the client
};

// Nothing if it is not such a URI.
std::optional<ResourceAddress> parse_resource(std::string_view uri);

json::array resource_templates();

// Links to the resources that an answer of a tool names.
std::vector<json::object> resource_links(std::string_view tool, const json::object& answer);

// The answer of `process read` as the contents of that resource. Nothing if it is an error.
std::optional<json::object> resource_contents(std::string_view uri, const json::object& answer);

}  // namespace talaria::front::mcp
