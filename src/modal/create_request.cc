#include "modal/create_request.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/text.h"
#include "json/json_text.h"

namespace talaria::modal {
namespace {

constexpr std::array<std::string_view, 13> kKnown{
    "app",     "image",     "name",           "tags",    "command", "cpu",          "memory_mb",
    "disk_mb", "timeout_s", "idle_timeout_s", "workdir", "env",     "start_limit_s"};

using Texts = std::vector<std::string>;
using Pairs = std::map<std::string, std::string>;

// Reads the fields of an object; the first that is not what it should be is remembered.
class Fields {
 public:
  explicit Fields(const json::object& object) : object_(object) {}

  void read(std::string_view name, std::string& into) {
    if (const json::value* value = find(name)) into = text(name, *value);
  }
  void read(std::string_view name, Texts& into) {
    if (const json::value* value = find(name)) into = texts(name, *value);
  }
  void read(std::string_view name, Pairs& into) {
    const json::value* value = find(name);
    if (value == nullptr) return;
    if (!value->is_object()) return wrong(name, "an object");
    for (const auto& [key, one] : value->as_object()) into[key] = text(name, one);
  }
  template <class Number>
  void read(std::string_view name, std::optional<Number>& into) {
    const json::value* value = find(name);
    if (value == nullptr) return;
    boost::system::error_code error;
    if (value->is_number()) into = value->to_number<Number>(error);
    if (!into || error || *into < 0) wrong(name, "a number");
  }
  void read(std::string_view name, std::uint32_t& into) {
    std::optional<std::uint32_t> value;
    read(name, value);
    into = value.value_or(into);
  }
  void read_layers(std::string_view name, std::vector<Texts>& into) {
    const json::value* value = find(name);
    if (value == nullptr) return;
    if (!value->is_array()) return wrong(name, "a list of lists");
    for (const json::value& layer : value->as_array()) into.push_back(texts(name, layer));
  }
  const json::object* object(std::string_view name) {
    const json::value* value = find(name);
    return value != nullptr ? value->if_object() : nullptr;
  }

  void wrong(std::string_view name, std::string_view expected) {
    if (!error_) error_ = std::string(name) + ": " + std::string(expected) + " is expected";
  }
  const std::optional<std::string>& error() const { return error_; }

 private:
  // A null is a field that is not there.
  const json::value* find(std::string_view name) const {
    const json::value* value = object_.if_contains(name);
    return value != nullptr && value->is_null() ? nullptr : value;
  }
  std::string text(std::string_view name, const json::value& value) {
    if (const json::string* said = value.if_string()) return std::string(*said);
    wrong(name, "a string");
    return {};
  }
  Texts texts(std::string_view name, const json::value& value) {
    Texts list;
    if (!value.is_array())
      wrong(name, "a list of strings");
    else
      for (const json::value& one : value.as_array()) list.push_back(text(name, one));
    return list;
  }

  const json::object& object_;
  std::optional<std::string> error_;
};

// Before it there may be comments and ARG lines.
bool is_from(std::string_view line) {
  constexpr std::string_view kFrom = "from ";
  line = trim(line);
  return lower_case(line.substr(0, kFrom.size())) == kFrom;
}

Result<void> read_image(const json::object* image, CreateRequest& request) {
  if (image == nullptr) return fail(ErrorKind::bad_request, "image: an object is required");
  Fields fields(*image);
  fields.read("id", request.image_id);
  fields.read_layers("layers", request.layers);
  if (request.image_id.empty() == request.layers.empty()) {
    fields.wrong("image", "either an id or layers");
  }
  if (!request.layers.empty() && std::ranges::none_of(request.layers.front(), is_from)) {
    fields.wrong("image.layers", "a first layer with a line FROM ...");
  }
  if (fields.error()) return fail(ErrorKind::bad_request, *fields.error());
  return {};
}

}  // namespace

Result<CreateRequest> parse_create_request(std::string_view text) {
  const Result<json::object> object = parse_object(text, "what to create");
  if (!object) return fail(object.error());
  for (const auto& field : *object) {
    if (std::ranges::find(kKnown, std::string_view(field.key())) == kKnown.end()) {
      return fail(ErrorKind::bad_request, "there is no field '" + std::string(field.key()) + "'");
    }
  }
  CreateRequest request;
  Fields fields(*object);
  if (const auto image = read_image(fields.object("image"), request); !image) {
    return fail(image.error());
  }
  fields.read("app", request.app);
  fields.read("name", request.name);
  fields.read("tags", request.tags);
  fields.read("command", request.command);
  fields.read("cpu", request.cpus);
  fields.read("memory_mb", request.memory_mb);
  fields.read("disk_mb", request.disk_mb);
  fields.read("timeout_s", request.timeout_s);
  fields.read("idle_timeout_s", request.idle_timeout_s);
  fields.read("workdir", request.workdir);
  fields.read("env", request.env);
  std::uint32_t limit = static_cast<std::uint32_t>(request.start_limit.count());
  fields.read("start_limit_s", limit);
  request.start_limit = std::chrono::seconds(limit);
  if (request.app.empty()) fields.wrong("app", "a name");
  if (request.timeout_s == 0) fields.wrong("timeout_s", "a number of seconds");
  if (fields.error()) return fail(ErrorKind::bad_request, *fields.error());
  return request;
}

}  // namespace talaria::modal
