// McpClient: a client of `talaria mcp` that sends what it is told, of either era.
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "support/lines_client.h"

namespace talaria::test {

class McpClient {
 public:
  explicit McpClient(World& world, std::vector<std::string> words = {"mcp"})
      : lines_(world, std::move(words)) {}

  // The handshake of 2025-11-25. Without it, a request is of that era, too, if it has no modern().
  json::object initialize(json::object capabilities = {});
  // `_meta` of 2026-07-28.
  static json::object modern(json::object capabilities = {});

  int send(const std::string& method, json::object params = {});  // the request's id
  void notify(const std::string& method, json::object params = {});
  int send_call(const std::string& tool, json::object arguments, json::object meta = {});
  void send_raw(const std::string& line) { lines_.send_line(line); }
  void cancel(int id) { notify("notifications/cancelled", {{"requestId", id}}); }

  json::object answer(int id) { return lines_.answer(id); }  // all of it
  bool is_answered(int id) { return lines_.is_answered(id); }
  json::object result(int id) { return lines_.result(id); }
  json::object ask(const std::string& method, json::object params = {}) {
    return result(send(method, std::move(params)));
  }
  // What a tool answered, as structured content.
  json::object structured(int id);
  json::object call(const std::string& tool, json::object arguments) {
    return structured(send_call(tool, std::move(arguments)));
  }
  std::string run(const std::string& command);  // its output
  // The next message that is no answer of ours.
  json::object unasked() { return lines_.unasked_answer(); }

  int end() { return lines_.end(); }
  Program& program() { return lines_.program(); }

 private:
  LinesClient lines_;
  int last_id_ = 0;
};

// The code of an error; 0 if it is none.
int error_code(const json::object& answer);

}  // namespace talaria::test
