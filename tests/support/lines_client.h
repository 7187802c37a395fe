// LinesClient: an agent that talks to `talaria call --lines`. Answers are kept until asked for, in
// whatever order they came.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "support/world.h"

namespace talaria::test {

namespace json = boost::json;

struct TerminalCall {
  std::string command;
  std::string task = "t";
  int timeout = 0;      // seconds; 0: not said
  std::string workdir;  // empty: not said
  bool force = true;    // tests put work in the background by themselves
};

class LinesClient {
 public:
  // `words`: another way to serve one JSON object per line.
  explicit LinesClient(World& world, std::vector<std::string> words = {"call", "--lines"});

  int send(const TerminalCall& call);  // the request's id
  int send(const std::string& tool, json::object arguments, const std::string& task = "t",
           const std::string& session_key = "");
  void send_line(const std::string& line);
  int cancel(int id);

  // The whole answer to a request; throws if none comes in time.
  json::object answer(int id, std::chrono::milliseconds patience = kPatience);
  bool is_answered(int id);  // by now
  // The result of a call; throws if the answer is an error.
  json::object result(int id, std::chrono::milliseconds patience = kPatience);
  json::object run(const TerminalCall& call) { return result(send(call)); }
  json::object run(const std::string& command) { return run(TerminalCall{.command = command}); }
  json::object call(const std::string& tool, json::object arguments) {
    return result(send(tool, std::move(arguments)));
  }
  json::object process(json::object arguments) { return call("process", std::move(arguments)); }
  // The result of terminal(background=true); `more` are further arguments of it.
  json::object start(const std::string& command, json::object more = {});
  // Its id, which it must have.
  std::string start_process(const std::string& command, json::object more = {});
  // The answer to {"method","params"}: its result, or {"kind","message"}.
  json::object ask(const std::string& method, json::object params = {});
  int send_method(const std::string& method, json::object params);  // the request's id
  // The next event that was pushed; throws if none comes in time.
  json::object event(std::chrono::milliseconds patience = kPatience);
  // All that come within `time`.
  std::vector<json::object> events_within(std::chrono::milliseconds time);
  // The next line that is no answer to a request of ours.
  json::object unasked_answer();

  int end();  // closes its input; what it exits with

  Program& program() { return *program_; }

 private:
  bool take_lines();

  std::unique_ptr<Program> program_;
  int last_id_ = 0;
  std::map<int, json::object> answers_;
  std::vector<json::object> unasked_;
};

// What tests look at most.
std::string output_of(const json::object& result);
int code_of(const json::object& result);
std::string error_of(const json::object& result);    // "" if there is none
std::string notices_of(const json::object& result);  // one per line

}  // namespace talaria::test
