// ScriptCalls: the lines that the connections of a script bring, each answered once. They come over
// the link, or directly where the socket of the script can be reached from here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include "base/cancel.h"
#include "base/task.h"
#include "environment/script_connections.h"
#include "environment/script_line_reader.h"
#include "environment/script_spec.h"
#include "link/driver.h"
#include "link/script_messages.h"
#include "os/unique_fd.h"

namespace talaria::environment {

class ScriptCalls : public std::enable_shared_from_this<ScriptCalls> {
 public:
  // Connects to a socket of the runner (TargetOptions). Null: it cannot be reached from here.
  using ReachSocket = std::function<Result<os::UniqueFd>(const std::string& name)>;

  ScriptCalls(std::shared_ptr<link::LinkDriver> driver, std::string process, ScriptSpec script,
              ReachSocket reach = {})
      : driver_(std::move(driver)),
        process_(std::move(process)),
        script_(std::move(script)),
        reach_(std::move(reach)) {}

  // Until the script has ended.
  Task<void> serve();
  // It has: what is still under way is cancelled.
  void end();

 private:
  struct Open {
    std::size_t unanswered = 0;  // lines
    bool closed = false;         // it sends nothing more
  };

  void take(std::vector<ScriptLineReader::Heard> all);
  void connect(const link::ScriptSocket& socket);
  Task<void> answer(std::uint32_t connection, std::string line);
  Task<bool> give(std::uint32_t connection, std::string answer, CancelToken cancel);
  Task<void> close(std::uint32_t connection, std::uint64_t number);
  Task<void> close_if_done(std::uint32_t connection);

  std::shared_ptr<link::LinkDriver> driver_;
  std::string process_;
  ScriptSpec script_;
  ReachSocket reach_;
  asio::any_io_executor executor_;
  ScriptLineReader input_;
  std::shared_ptr<ScriptConnections> direct_;  // null: all come over the link
  std::map<std::uint32_t, Open> open_;
  std::map<std::uint64_t, CancelToken> under_way_;
  std::uint64_t lines_ = 0;
  std::uint64_t answers_ = 0;
  bool ended_ = false;
};

}  // namespace talaria::environment
