#include "environment/daytona/daytona_messages.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <boost/json/array.hpp>

#include "base/text.h"
#include "environment/task_name.h"
#include "json/fields.h"
#include "json/json_text.h"

namespace talaria::environment::daytona {
namespace {

constexpr std::size_t kShownComplaint = 1000;
constexpr std::string_view kTaskLabel = "hermes_task_id";

double number_at(const json::object& object, std::string_view key) {
  const json::value* const found = object.if_contains(key);
  boost::system::error_code no_number;
  return found && found->is_number() ? found->to_number<double>(no_number) : 0;
}

std::optional<DaytonaFacts> facts_of(const json::value& value) {
  const json::object* const said = value.if_object();
  if (!said || text_field(*said, "id").empty()) return std::nullopt;
  DaytonaFacts facts{.id = text_field(*said, "id"),
                     .name = text_field(*said, "name"),
                     .state = text_field(*said, "state"),
                     .reason = text_field(*said, "errorReason"),
                     .toolbox = text_field(*said, "toolboxProxyUrl"),
                     .cpu = number_at(*said, "cpu"),
                     .memory_gib = std::lround(number_at(*said, "memory")),
                     .disk_gib = std::lround(number_at(*said, "disk"))};
  if (facts.name.empty()) facts.name = facts.id;
  while (facts.toolbox.ends_with('/')) facts.toolbox.pop_back();
  const json::value* const labels = said->if_contains("labels");
  if (labels && labels->is_object()) facts.task = text_field(labels->get_object(), kTaskLabel);
  return facts;
}

std::unexpected<Error> no_answer() {
  return fail(ErrorKind::unavailable, "the answer of Daytona does not describe a sandbox");
}

std::int64_t whole_gib(std::int64_t mb) {
  return std::max<std::int64_t>(1, (mb + kMbPerGib - 1) / kMbPerGib);
}

bool is_one_of(std::string_view state, const auto& states) {
  return std::ranges::find(states, state) != states.end();
}

}  // namespace

Result<DaytonaFacts> daytona_facts(std::string_view answer) {
  const ParsedJson parsed = parse_json(answer);
  if (!parsed.value) return no_answer();
  auto facts = facts_of(*parsed.value);
  if (!facts) return no_answer();
  return std::move(*facts);
}

Result<std::vector<DaytonaFacts>> daytona_list(std::string_view answer) {
  const ParsedJson parsed = parse_json(answer);
  const json::object* const said = parsed.value ? parsed.value->if_object() : nullptr;
  const json::value* const items = said ? said->if_contains("items") : nullptr;
  if (!items || !items->is_array()) return no_answer();
  std::vector<DaytonaFacts> found;
  for (const json::value& item : items->get_array()) {
    if (auto facts = facts_of(item)) found.push_back(std::move(*facts));
  }
  return found;
}

DaytonaStanding standing_of(std::string_view state) {
  constexpr auto kIdle = std::to_array<std::string_view>({"stopped", "archived", "paused"});
  constexpr auto kFailed = std::to_array<std::string_view>({"error", "build_failed"});
  constexpr auto kGone = std::to_array<std::string_view>({"destroyed", "destroying"});
  if (state == "started") return DaytonaStanding::ready;
  if (is_one_of(state, kIdle)) return DaytonaStanding::idle;
  if (is_one_of(state, kFailed)) return DaytonaStanding::failed;
  if (is_one_of(state, kGone)) return DaytonaStanding::gone;
  return DaytonaStanding::on_the_way;  // also those that are not invented yet
}

std::string daytona_name(std::string_view task) {
  std::string name = "hermes-" + task_name(task);
  std::ranges::replace(name, '@', '-');
  return name;
}

json::object daytona_labels(const std::string& task) { return {{kTaskLabel, task}}; }

json::object create_body(const DaytonaConfig& config, const EnvironmentSpec& spec,
                         const std::string& name) {
  const ContainerConfig& container = spec.container;
  json::object body{
      {"name", name},
      {"buildInfo", json::object{{"dockerfileContent", "FROM " + config.image + "\n"}}},
      {"labels", daytona_labels(spec.task)},
      {"env", json::object()},
      {"autoStopInterval", 0}};
  if (!config.region.empty()) body["target"] = config.region;
  if (container.cpu > 0)
    body["cpu"] = std::max<std::int64_t>(1, std::llround(std::ceil(container.cpu)));
  if (container.memory_mb > 0) body["memory"] = whole_gib(container.memory_mb);
  if (container.disk_mb > 0)
    body["disk"] = std::min(whole_gib(container.disk_mb), kDaytonaMostDiskGib);
  return body;
}

std::optional<std::string> disk_notice(const ContainerConfig& container) {
  if (!container.disk_is_set || whole_gib(container.disk_mb) <= kDaytonaMostDiskGib)
    return std::nullopt;
  return "TERMINAL_CONTAINER_DISK asks for " + std::to_string(container.disk_mb) +
         " MB; a sandbox of Daytona has " + std::to_string(kDaytonaMostDiskGib) +
         " GiB at most, and so much was asked for.";
}

bool is_daytonas(std::string_view body) {
  const ParsedJson parsed = parse_json(body);
  return parsed.value && parsed.value->is_object();
}

std::string daytona_complaint(unsigned status, std::string_view body) {
  const ParsedJson parsed = parse_json(body);
  std::string message;
  if (parsed.value && parsed.value->is_object()) {
    const json::value* const said = parsed.value->get_object().if_contains("message");
    if (said && said->is_string()) message = said->get_string();
    if (said && said->is_array()) {
      for (const json::value& one : said->get_array()) {
        if (!one.is_string()) continue;
        message += (message.empty() ? "" : "; ") + std::string(one.get_string());
      }
    }
  }
  if (message.empty()) message = trim(body);
  message = std::string(first_bytes(sanitize_utf8(message), kShownComplaint));
  return message.empty() ? "HTTP " + std::to_string(status) : message;
}

}  // namespace talaria::environment::daytona
