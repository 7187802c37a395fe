// AsioSessions: the sessions of tasks, for programs with an Asio loop: where they are, and their
// end.
#pragma once

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "api/asio_runtime.h"

namespace talaria {

struct SessionFacts {
  std::string directory = {};  // where it is, or would begin; empty: not known
  std::string target = {};
  bool exists = false;  // a command has run in it, as far as is known here
};

class AsioSessions {
 public:
  explicit AsioSessions(const AsioRuntime& runtime) : core_(runtime.core()) {}

  // Starts nothing.
  Result<SessionFacts> find(const std::string& task);
  // Where a session of the task begins; empty: not known.
  std::string first_directory(const std::string& task) const;
  // Where it is then. An Error (bad_request): it cannot be there. `variables`: as of its commands.
  boost::asio::awaitable<Result<std::string>> set_directory(
      std::string task, std::string directory, std::vector<std::string> variables = {});
  // Its directory, variables and functions are forgotten. An Error (unavailable): something of it
  // still runs.
  boost::asio::awaitable<Result<void>> end(std::string task);
  // What was shown of files to the model of the task is shown again when it asks.
  void forget_reads(const std::string& task);

 private:
  std::shared_ptr<AsioRuntime::Core> core_;
};

}  // namespace talaria
