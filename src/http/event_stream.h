// EventStream: server-sent events, from bytes as they come. No I/O.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace talaria::http {

struct ServerEvent {
  std::string name = "message";
  std::string data;
  std::string id;  // of the last event that had one
};

class EventStream {
 public:
  // Events that are now complete.
  std::vector<ServerEvent> feed(std::string_view bytes);

 private:
  void take_line(std::string_view line, std::vector<ServerEvent>& events);

  std::string pending_;  // a line that has not ended
  ServerEvent next_;
  bool has_data_ = false;
};

}  // namespace talaria::http
