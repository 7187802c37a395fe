// LinesClient: an agent. It starts `talaria call --lines` and speaks JSON lines with it. Destroying
// it closes the conversation and waits for the process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "bench/home.h"
#include "os/unique_fd.h"

namespace talaria::bench {

struct Answer {
  std::int64_t id = 0;
  boost::json::object result;
};

class LinesClient {
 public:
  // `settings` (NAME=value) are for this process alone. `words`: another way to serve one JSON
  // object per line.
  explicit LinesClient(const Home& home, const std::vector<std::string>& settings = {},
                       const std::vector<const char*>& words = {"call", "--lines"});
  ~LinesClient();
  LinesClient(const LinesClient&) = delete;
  LinesClient& operator=(const LinesClient&) = delete;

  // One command, from its request to its answer; throws unless it exits with 0.
  Answer run(std::string_view task, std::string_view command);

  // The two halves of it, for many at once. send() returns the id.
  std::int64_t send(std::string_view task, std::string_view command);
  Answer receive();  // the next answer, whatever it says

  // Any tool, from the request to its answer, whatever it says; and the first half of it.
  Answer call(std::string_view task, std::string_view tool, boost::json::object arguments);
  std::int64_t send_call(std::string_view task, std::string_view tool,
                         boost::json::object arguments);
  std::int64_t send_method(std::string_view method, boost::json::object params);

  // Any request, which gets an id, and its answer.
  Answer ask(boost::json::object request);

  void cancel(std::int64_t id);  // gets an answer of its own
  pid_t pid() const { return pid_; }

 private:
  Answer receive_answer_to(std::int64_t id);
  void write_line(std::string line);
  std::string read_line();

  os::UniqueFd requests_;
  os::UniqueFd answers_;
  pid_t pid_ = -1;
  std::int64_t last_id_ = 0;
  std::string unread_;
};

// That the command ran and exited with 0; throws what the answer says otherwise.
void expect_success(const Answer& answer);

}  // namespace talaria::bench
