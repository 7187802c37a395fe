// AsioProcesses: the background processes of a home, for programs with an Asio loop: those that
// this program or others started, at every target that can be reached. Models use the `process`
// tool; this class also has what tools for people need.
#pragma once

#include <talaria/event.h>
#include <talaria/process.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>

#include "api/asio_runtime.h"

namespace talaria {

class AsioProcesses {
 public:
  explicit AsioProcesses(const AsioRuntime& runtime);

  // Its id. Policy decides first, as for every command.
  boost::asio::awaitable<Result<std::string>> start(ProcessStart start, Cancel cancel = {});
  // With up to `tail_limit` bytes of the last output of each. Targets where nothing was started are
  // not asked.
  boost::asio::awaitable<Result<ProcessList>> list(std::uint64_t tail_limit = 0);
  // The ID that begins so, with or without its "proc_"; `beginning` itself if there is none. An
  // Error (bad_request) names them if there are several.
  Result<std::string> full_id(const std::string& beginning);
  // This and the following: an Error (not_found) if there is no such process.
  boost::asio::awaitable<Result<ProcessInfo>> find(std::string id, std::uint64_t tail_limit = 0);
  // Returns when it has ended. No event announces the end after that.
  boost::asio::awaitable<Result<ProcessInfo>> wait(std::string id, Cancel cancel = {});
  // The same, but events still announce the end.
  boost::asio::awaitable<Result<ProcessInfo>> watch_end(std::string id, Cancel cancel = {});
  // Ends its whole tree. `source`: who asked for it.
  boost::asio::awaitable<Result<KilledProcess>> kill(std::string id,
                                                     std::string source = std::string(kKillSource));
  // For the end of an agent or of one of its tasks. Continues if one cannot be ended.
  boost::asio::awaitable<Result<KilledAll>> kill_all(KillAll which = {});
  boost::asio::awaitable<Result<void>> signal(std::string id, int number);
  // Output byte for byte, as it was printed.
  boost::asio::awaitable<Result<OutputRead>> read(OutputQuery query,
                                                  std::function<void(std::string_view)> on_output,
                                                  Cancel cancel = {});
  // The same with the position of the first byte of each piece.
  boost::asio::awaitable<Result<OutputRead>> read_at(
      OutputQuery query, std::function<void(std::uint64_t, std::string_view)> on_output,
      Cancel cancel = {});
  // True: all of it was taken. False: the process takes no more input. `end`: close the input after
  // it; at a terminal, send the character that ends the input there.
  boost::asio::awaitable<Result<bool>> write(std::string id, std::string data, bool end = false);
  // The same for what a model writes, or a program for one: an Error (denied) if policy does not
  // let the process, which may run it, be given that.
  boost::asio::awaitable<Result<bool>> write_judged(std::string id, std::string data, bool end,
                                                    Cancel cancel = {});
  boost::asio::awaitable<Result<void>> resize(std::string id, ScreenSize size);
  // An Error (bad_request): it has no terminal.
  boost::asio::awaitable<Result<ScreenView>> screen(std::string id);

  // The position up to which a reader of that name has read the output.
  Result<std::uint64_t> mark(const std::string& id, const std::string& name);
  boost::asio::awaitable<Result<void>> set_mark(std::string id, std::string name,
                                                std::uint64_t cursor);

  // Passes events to `sink`, in order, until cancelled. If it returns false, the event comes again.
  boost::asio::awaitable<Result<void>> follow_events(EventOptions options,
                                                     std::function<bool(const ProcessEvent&)> sink,
                                                     Cancel cancel = {});
  // Looks for targets that have processes by now, so that their events are followed, too, and for
  // events that other programs have stored.
  boost::asio::awaitable<void> look_for_targets();
  // This consumer has received everything up to that event.
  boost::asio::awaitable<Result<void>> acknowledge(std::string consumer, std::uint64_t event);
  // The stored events after `after`, received or not: the newest `limit` of them.
  boost::asio::awaitable<Result<std::vector<ProcessEvent>>> recent_events(std::uint64_t after,
                                                                          std::size_t limit);
  // What this consumer has not received yet. It still has to acknowledge it.
  boost::asio::awaitable<Result<std::vector<ProcessEvent>>> pending_events(std::string consumer,
                                                                           std::size_t limit);

  // The JSON of an event, as JSON lines push it.
  boost::json::object describe(const ProcessEvent& event) const;

 private:
  std::shared_ptr<AsioRuntime::Core> core_;
};

}  // namespace talaria
