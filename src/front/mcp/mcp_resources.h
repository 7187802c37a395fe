// What can be read beside calling tools, each by an address:
//   exec://process/ID/output{?offset,limit}      what a process printed, from byte `offset` on
//   exec://file/PATH{?offset,limit,task}         a file at the target, likewise
// and the links to them that results carry.
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
  std::string task;  // whose target; empty: that of whoever asks
};

// Nothing if it is no address of ours.
std::optional<ResourceAddress> parse_resource(std::string_view uri);

json::array resource_templates();

// Links to what an answer of a tool speaks of.
std::vector<json::object> resource_links(std::string_view tool, const json::object& answer);

// What `process read` answered, as the contents of that resource. Nothing if it tells of an error.
std::optional<json::object> resource_contents(std::string_view uri, const json::object& answer);

}  // namespace talaria::front::mcp
