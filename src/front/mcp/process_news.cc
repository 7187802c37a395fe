#include "front/mcp/process_news.h"

#include <tuple>
#include <utility>

#include <boost/json/array.hpp>

#include "json/fields.h"

namespace talaria::front::mcp {
namespace {

// Of a client that makes no call for a long time, the newest are kept.
constexpr std::size_t kMaxKept = 32;

}  // namespace

ProcessNews::ProcessNews(const asio::any_io_executor& executor, AsioRuntime& runtime,
                         std::string consumer)
    : processes_(runtime), consumer_(std::move(consumer)), tasks_(executor) {}

void ProcessNews::follow(const std::string& task) {
  const bool first = tasks_followed_.empty();
  tasks_followed_.insert(task);
  if (first) tasks_.start(receive());
}

Task<void> ProcessNews::receive() {
  // An event counts as delivered only when a result carried it.
  const EventOptions options{
      .consumer = consumer_, .from_now = consumer_.empty(), .acknowledges = true};
  const auto sink = [this](const ProcessEvent& event) { return add(event); };
  // Without the store there are no events; calls report what is wrong with it.
  std::ignore = co_await processes_.follow_events(options, sink, cancel_);
}

bool ProcessNews::add(const ProcessEvent& event) {
  const bool about_all = event.process.empty();
  last_ = event.id;
  if (!about_all && !tasks_followed_.contains(event.task)) return true;
  events_.push_back(processes_.describe(event));
  if (on_event_) on_event_(events_.back());
  if (events_.size() > kMaxKept) events_.pop_front();
  return true;
}

std::vector<std::string> ProcessNews::take(std::string_view process) {
  std::vector<std::string> texts;
  if (events_.empty()) return texts;
  for (const json::object& event : std::exchange(events_, {})) {
    const bool is_end = text_field(event, "type") == event_name(EventType::completion);
    if (is_end && !process.empty() && text_field(event, "session_id") == process) continue;
    texts.push_back(text_field(event, "text"));
  }
  if (has_memory()) tasks_.start(acknowledge());
  return texts;
}

Task<void> ProcessNews::acknowledge() {
  std::ignore = co_await processes_.acknowledge(consumer_, last_);
}

json::object with_news(const std::vector<std::string>& news, json::object answer) {
  if (news.empty()) return answer;
  json::array notices(news.begin(), news.end());
  if (const json::value* own = answer.if_contains("notices"); own && own->is_array()) {
    notices.insert(notices.end(), own->get_array().begin(), own->get_array().end());
  }
  json::object whole{{"notices", std::move(notices)}};
  for (auto& [name, value] : answer) whole.emplace(name, std::move(value));
  return whole;
}

}  // namespace talaria::front::mcp
