// LinesClient: an agent that talks to `talaria call --lines`. Answers are kept until asked for, in
// whatever order they came.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "support/world.h"

namespace talaria {

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
  explicit LinesClient(World& world);

  int send(const TerminalCall& call);  // the request's id
  void send_line(const std::string& line);
  int cancel(int id);

  // The whole answer to a request; throws if none comes in time.
  json::object answer(int id, std::chrono::milliseconds patience = kPatience);
  // The result of a call; throws if the answer is an error.
  json::object result(int id, std::chrono::milliseconds patience = kPatience);
  json::object run(const TerminalCall& call) { return result(send(call)); }
  json::object run(const std::string& command) { return run(TerminalCall{.command = command}); }
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

}  // namespace talaria
