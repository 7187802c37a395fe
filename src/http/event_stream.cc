#include "http/event_stream.h"

#include <utility>

namespace talaria::http {

std::vector<ServerEvent> EventStream::feed(std::string_view bytes) {
  std::vector<ServerEvent> events;
  pending_ += bytes;
  std::size_t from = 0;
  for (;;) {
    const std::size_t end = pending_.find('\n', from);
    if (end == std::string::npos) break;
    std::string_view line(pending_.data() + from, end - from);
    if (line.ends_with('\r')) line.remove_suffix(1);
    take_line(line, events);
    from = end + 1;
  }
  pending_.erase(0, from);
  return events;
}

void EventStream::take_line(std::string_view line, std::vector<ServerEvent>& events) {
  if (line.empty()) {
    if (std::exchange(has_data_, false)) events.push_back(next_);
    next_.name = "message";
    next_.data.clear();
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") {
    if (std::exchange(has_data_, true)) next_.data += '\n';
    next_.data += value;
  } else if (name == "event") {
    next_.name = value;
  } else if (name == "id") {
    next_.id = value;
  }
}

}  // namespace talaria::http
