#include "front/mcp/mcp_resources.h"

#include <algorithm>
#include <charconv>
#include <utility>

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

std::optional<std::string> unescaped(std::string_view text) {
  std::string result;
  if (!gateway::decode_percent(text, result) || result.contains('\0')) return std::nullopt;
  return result;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// False: it makes no sense.
bool read_query(std::string_view query, ResourceAddress& address) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view name = pair.substr(0, equals);
    const auto value = unescaped(pair.substr(std::min(equals + 1, pair.size())));
    if (!value) return false;
    if (name == "task") {
      address.task = *value;
    } else if (name == "offset" || name == "limit") {
      const auto number = number_in(*value);
      if (!number) return false;
      if (name == "offset") address.offset = *number;
      if (name == "limit") address.limit = *number;
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
  if (!read_query(uri.substr(std::min(question + 1, uri.size())), address)) return std::nullopt;
  uri = uri.substr(0, question);
  if (uri.starts_with(kProcessPrefix) && uri.ends_with(kOutputSuffix)) {
    uri.remove_prefix(kProcessPrefix.size());
    if (uri.size() <= kOutputSuffix.size()) return std::nullopt;
    uri.remove_suffix(kOutputSuffix.size());
    if (uri.contains('/')) return std::nullopt;
    address.is_process = true;
  } else if (uri.starts_with(kFilePrefix)) {
    uri.remove_prefix(kFilePrefix.size() - 1);  // its slash is that of the path
    if (uri.size() == 1) return std::nullopt;
  } else {
    return std::nullopt;
  }
  auto name = unescaped(uri);
  if (!name) return std::nullopt;
  address.name = std::move(*name);
  return address;
}

json::array resource_templates() {
  return {json::object{{"uriTemplate", "exec://process/{session_id}/output{?offset,limit}"},
                       {"name", "process_output"},
                       {"title", "Output of a process"},
                       {"description",
                        "What a process printed, stdout and stderr together, from byte offset on, "
                        "at most limit bytes. Subscribe to hear of more."},
                       {"mimeType", "text/plain"}},
          json::object{{"uriTemplate", "exec://file/{+path}{?offset,limit,task}"},
                       {"name", "file"},
                       {"title", "File at the target"},
                       {"description",
                        "The bytes of a file where commands run, from byte offset on, at most "
                        "limit bytes. The path is absolute, without its first slash."}}};
}

std::vector<json::object> resource_links(std::string_view tool, const json::object& answer) {
  std::vector<json::object> links;
  const std::string process = text_field(answer, "session_id");
  const bool runs = tool == "terminal" && process.starts_with("proc_");
  if (runs) {
    links.push_back(
        link_to(std::string(kProcessPrefix) + escaped(process) + std::string(kOutputSuffix),
                process, "Output of the process, as it comes"));
  }
  for (const std::string_view name : {"full_output_path", "persisted_path"}) {
    const std::string path = text_field(answer, name);
    if (!path.starts_with('/')) continue;
    links.push_back(
        link_to(std::string(kFilePrefix) + escaped(path.substr(1)), path, "All of the output"));
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
