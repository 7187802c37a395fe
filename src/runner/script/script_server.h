// ScriptServer: serves the tool calls of one script. It has a directory with the script and the
// module it imports, a socket for the calls, and a pipe for the standard error of the script. What
// comes over the connections of the socket is kept, in records (link/script_messages.h), until the
// controller has taken it. Connections are not read while too much waits. A controller that can
// reach the socket gets the connections themselves (ScriptTaker).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/event.h"
#include "base/result.h"
#include "base/task.h"
#include "link/script_messages.h"
#include "runner/output_log.h"
#include "runner/script/script_taker.h"
#include "shell/state.h"

namespace talaria::runner {

class ScriptServer : public std::enable_shared_from_this<ScriptServer> {
 public:
  // The name of the directory, for the command that starts the script.
  static constexpr const char* kDirectoryVariable = "TALARIA_SCRIPT";
  static constexpr const char* kSocketVariable = "HERMES_RPC_SOCKET";

  struct Place {
    std::string directory;  // is made
    std::string socket;     // short: a path to a socket cannot be long
  };
  static Result<std::shared_ptr<ScriptServer>> open(asio::io_context& loop, Place place,
                                                    const link::Script& script);
  ~ScriptServer();
  ScriptServer(const ScriptServer&) = delete;
  ScriptServer& operator=(const ScriptServer&) = delete;

  // By what a controller takes the connections itself (docs/reference/link.md).
  std::string socket_name() const;
  const std::string& taker_key() const { return taker_->key(); }
  void nobody_takes() { taker_->decide(); }

  // What the command has in its environment.
  shell::NameMap variables() const;

  // The command of the script runs below this process. Connections of other processes are closed,
  // except for that of the controller: a script uses its own socket and no other.
  void serve_below(pid_t reaper) { reaper_ = reaper; }

  // The records, by cursor.
  const OutputLog& calls() const { return calls_; }
  // Called when there are more, or the script has ended. One listener: the last one that came.
  void on_news(std::function<void()> listener) { news_ = std::move(listener); }
  // All before `cursor` was taken.
  void reader_at(std::uint64_t cursor);

  void answer(const link::ScriptAnswer& part);

  // The script has ended: takes what is left of its standard error, and ends its connections.
  void end();
  bool ended() const { return ended_; }

  const std::string& errors() const { return errors_; }  // the first bytes
  std::uint64_t errors_total() const { return errors_total_; }

 private:
  using Socket = asio::local::stream_protocol::socket;
  using Acceptor = asio::local::stream_protocol::acceptor;

  struct Client {
    explicit Client(Socket its_socket) : socket(std::move(its_socket)) {}
    Socket socket;
    std::deque<std::string> to_write;
    bool writing = false;
    bool closes = false;  // once all is written
  };
  struct Parts {
    std::uint32_t connection = 0;
    std::string bytes;
  };

  ScriptServer(asio::io_context& loop, Place place, std::uint64_t error_limit);
  Result<void> make(const link::Script& script);
  void remove_files() const;
  Task<void> accept();
  bool is_of_script(int connection) const;
  Task<bool> has_room(std::size_t size);
  Task<void> give_or_serve(std::uint32_t number, Socket socket);
  Task<void> serve(std::uint32_t number, std::shared_ptr<Client> client);
  Task<void> write_to(std::shared_ptr<Client> client);
  Task<void> watch_errors();
  bool read_errors();
  void give(std::uint32_t connection, std::string bytes);
  void close_after_writing(std::uint32_t connection);
  void add_record(std::uint32_t connection, std::string_view bytes);
  void tell_news() const;

  asio::io_context& loop_;
  Place place_;
  std::uint64_t error_limit_;
  Acceptor acceptor_;
  asio::posix::stream_descriptor error_pipe_;
  pid_t reaper_ = 0;  // 0: not known yet, so that nobody is served
  OutputLog calls_;
  std::uint64_t taken_ = 0;
  AsyncEvent room_;  // the reader has moved
  std::map<std::uint32_t, std::shared_ptr<Client>> clients_;
  std::uint32_t connections_ = 0;
  std::size_t undecided_ = 0;  // whose reader is not known yet
  std::shared_ptr<ScriptTaker> taker_;
  std::map<std::uint64_t, Parts> unfinished_;  // answers, by number
  std::uint64_t given_below_ = 1;              // all answers with a lower number were given
  std::set<std::uint64_t> given_;              // these, too
  std::string errors_;
  std::uint64_t errors_total_ = 0;
  std::function<void()> news_;
  bool ended_ = false;
};

}  // namespace talaria::runner
