// LineTools: the tools of a JSON-lines client, which its scripts (execute_code) may call. Each call
// is a line {"event":{"type":"tool_called","id","tool","args",...}}; tools.answer answers it.
#pragma once

#include <talaria/call.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/result.h"

namespace talaria::front::lines {

namespace json = boost::json;

class LineTools {
 public:
  // `push` sends a line; false: not now.
  explicit LineTools(std::function<bool(std::string)> push) : push_(std::move(push)) {}

  // Replaces what was served before: objects with `name` and `description`.
  Result<json::object> serve(const json::array& tools);
  // JSON text, or an Error.
  Result<json::object> answer(const std::string& id, Result<std::string> result);
  // For the next call; null: none.
  const std::shared_ptr<const OwnTools>& served() const { return served_; }

  void end();  // what waits is answered with an error

 private:
  void call(const OwnToolCall& call, OwnToolReply reply);

  std::function<bool(std::string)> push_;
  std::shared_ptr<const OwnTools> served_;
  std::map<std::string, OwnToolReply> open_;  // by id
  // Calls of scripts that still run when this is gone get no answer.
  std::shared_ptr<LineTools*> self_ = std::make_shared<LineTools*>(this);
};

}  // namespace talaria::front::lines
