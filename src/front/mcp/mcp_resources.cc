#include "front/mcp/mcp_resources.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/to_number.h"
#include "front/gateway/http/request_reader.h"
#include "json/fields.h"

namespace talaria::front::mcp {
namespace {

constexpr std::string_view kProcessPrefix = "exec://process/";
constexpr std::string_view kOutputSuffix = "/output";
constexpr std::string_view kFilePrefix = "exec://file/";

bool is_plain(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~' || c == '/';
}

std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  for (const unsigned char c : text) {
    if (is_plain(c)) {
      result += static_cast<char>(c);
    } else {
      result += {'%', kDigits[c >> 4], kDigits[c & 15]};
    }
  }
  return result;
}

// False: it is invalid.
bool read_parameters(std::string_view text, ResourceAddress& address) {
  std::map<std::string, std::string> query;
  if (!gateway::read_query(text, query)) return false;
  for (const auto& [name, value] : query) {
    const auto number = to_number<std::uint64_t>(value);
    if (name == "task" && !value.contains('\0')) {
      address.task = value;
    } else if (name == "offset" && number) {
      address.offset = *number;
    } else if (name == "limit" && number) {
      address.limit = number;
    } else {
      return false;
    }
  }
  return true;
}

json::object link_to(std::string uri, std::string name, std::string_view description) {
  return {{"type", "resource_link"},
          {"uri", std::move(uri)},
          {"name", std::move(name)},
          {"description", description},
          {"mimeType", "text/plain"}};
}

}  // namespace

std::optional<ResourceAddress> parse_resource(std::string_view uri) {
  ResourceAddress address;
  const std::size_t question = std::min(uri.find('?'), uri.size());
  const std::string_view query = uri.substr(std::min(question + 1, uri.size()));
  if (!read_parameters(query, address)) return std::nullopt;
  uri = uri.substr(0, question);
  if (uri.starts_with(kProcessPrefix) && uri.ends_with(kOutputSuffix)) {
    uri.remove_prefix(kProcessPrefix.size());
    if (uri.size() <= kOutputSuffix.size()) return std::nullopt;
    uri.remove_suffix(kOutputSuffix.size());
    if (uri.contains('/')) return std::nullopt;
    address.is_process = true;
  } else if (uri.starts_with(kFilePrefix)) {
    uri.remove_prefix(kFilePrefix.size() - 1);  // the path keeps its slash
    if (uri.size() == 1) return std::nullopt;
  } else {
    return std::nullopt;
  }
  if (!gateway::decode_percent(uri, address.name)) return std::nullopt;
  if (address.name.contains('\0')) return std::nullopt;
  return address;
}

json::array resource_templates() {
  return {json::object{{"uriTemplate", "exec://process/{session_id}/output{?offset,limit}"},
                       {"name", "process_output"},
                       {"title", "Output of a process"},
                       {"description",
                        "The output of a process, stdout and stderr together, from byte offset, "
                        "at most limit bytes. Subscribe to be notified of more."},
                       {"mimeType", "text/plain"}},
          json::object{{"uriTemplate", "exec://file/{+path}{?offset,limit,task}"},
                       {"name", "file"},
                       {"title", "File at the target"},
                       {"description",
                        "The bytes of a file at the target, from byte offset, at most limit "
                        "bytes. The path is absolute, without its first slash."}}};
}

std::vector<json::object> resource_links(std::string_view tool, const json::object& answer) {
  std::vector<json::object> links;
  const std::string process = text_field(answer, "session_id");
  const bool runs = tool == "terminal" && process.starts_with("proc_");
  if (runs) {
    links.push_back(
        link_to(std::string(kProcessPrefix) + escaped(process) + std::string(kOutputSuffix),
                process, "Output of the process"));
  }
  for (const std::string_view name : {"full_output_path", "persisted_path"}) {
    const std::string path = text_field(answer, name);
    if (!path.starts_with('/')) continue;
    links.push_back(
        link_to(std::string(kFilePrefix) + escaped(path.substr(1)), path, "The complete output"));
  }
  return links;
}

std::optional<json::object> resource_contents(std::string_view uri, const json::object& answer) {
  const json::value* data = answer.if_contains("data");
  if (!data || !data->is_string()) return std::nullopt;
  const bool binary = text_field(answer, "encoding") == "base64";
  json::object contents{{"uri", uri},
                        {"mimeType", binary ? "application/octet-stream" : "text/plain"},
                        {binary ? "blob" : "text", data->get_string()}};
  json::object meta;
  for (const std::string_view name : {"from", "next", "total", "eof"}) {
    if (const json::value* value = answer.if_contains(name)) {
      meta["talaria/" + std::string(name)] = *value;
    }
  }
  contents["_meta"] = std::move(meta);
  return json::object{{"contents", json::array{std::move(contents)}}};
}

}  // namespace talaria::front::mcp
