// LineProtocol: the JSON-lines protocol without I/O. It turns the bytes of a client into actions.
// One JSON object per line:
//
//   {"id":1,"tool":"terminal","args":{...}[,"task":T|"sandbox":S][,"session_key":K]
//    [,"tools":[...]][,"tool_call_id":I][,"turn":N]}
//   {"id":2,"cancel":1}                     answered at once; call 1 still gets its own answer
//   {"id":3,"method":"env.list"[,"params":{...}]}
//
//   {"id":1,"part":{...}}    any number, before its answer
//   {"id":1,"result":{...}}  or  {"id":1,"error":{"kind":"bad_request","message":"..."}}
//
// An id is a string or a whole number, unique among the requests in progress. A line that cannot be
// parsed is answered with the id null; the next line is parsed as usual.
#pragma once

#include <talaria/call.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/json/object.hpp>

#include "base/limits.h"
#include "base/result.h"
#include "front/line_splitter.h"

namespace talaria::front::lines {

// How much of an unknown key an error shows.
inline constexpr std::size_t kShownKeyBytes = 64;

namespace json = boost::json;

// The key of a call is its id as JSON text.
struct StartCall {
  std::string key;
  std::string tool;
  json::object arguments;
  CallContext context;
  std::string sandbox;    // empty: the task of the context
  std::size_t bytes = 0;  // of its line
};

struct CancelCall {
  std::string key;
};

struct AskMethod {
  std::string key;
  std::string method;
  json::object params;
  std::size_t bytes = 0;  // of its line
};

struct SendLine {
  std::string line;  // with its end
};

using LineAction = std::variant<StartCall, CancelCall, AskMethod, SendLine>;

class LineProtocol {
 public:
  explicit LineProtocol(std::size_t max_line = kMaxLineBytes) : lines_(max_line) {}

  std::vector<LineAction> feed(std::string_view bytes);

  // End of input: a last line without a newline is a line, too.
  std::vector<LineAction> end();

  // Something that a request gets before its answer.
  static std::string part(const std::string& key, const json::object& part);

  // The answer to a call or a method, which ends it.
  std::string answer(const std::string& key, const Result<json::object>& result);

 private:
  LineSplitter::Sink sink(std::vector<LineAction>& actions);
  void take_line(std::string_view line, std::vector<LineAction>& actions);
  void take_request(json::object& request, std::size_t bytes, std::vector<LineAction>& actions);
  void take_cancel(const std::string& key, const json::value& call,
                   std::vector<LineAction>& actions);

  LineSplitter lines_;
  std::set<std::string, std::less<>> under_way_;
};

}  // namespace talaria::front::lines
