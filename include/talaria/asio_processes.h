// AsioProcesses: the processes of a home, for programs with an Asio loop: what terminal(background)
// started, by this program or by others, at every target that can be reached. What a model does
// with them is the `process` tool; here is what a person's tools need besides.
#pragma once

#include <talaria/asio.h>
#include <talaria/event.h>
#include <talaria/process.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>

namespace talaria {

class AsioProcesses {
 public:
  explicit AsioProcesses(const AsioRuntime& runtime);

  // With up to `tail_limit` bytes of the last output of each. Where nothing was ever started,
  // nothing is asked.
  boost::asio::awaitable<Result<ProcessList>> list(std::uint64_t tail_limit = 0);
  // An Error (not_found) if there is none of this id.
  boost::asio::awaitable<Result<ProcessInfo>> find(std::string id, std::uint64_t tail_limit = 0);
  // Returns when it has ended. Whoever waited knows, so that nobody is told of the end any more.
  boost::asio::awaitable<Result<ProcessInfo>> wait(std::string id, Cancel cancel = {});
  // The same for an onlooker: whoever asked to be told of the end still is.
  boost::asio::awaitable<Result<ProcessInfo>> watch_end(std::string id, Cancel cancel = {});
  // Ends its whole tree. `source`: on whose behalf.
  boost::asio::awaitable<Result<KilledProcess>> kill(std::string id,
                                                     std::string source = std::string(kKillSource));
  // What an agent does when it, or one of its tasks, ends. Goes on where one cannot be ended.
  boost::asio::awaitable<Result<KilledAll>> kill_all(KillAll which = {});
  boost::asio::awaitable<Result<void>> signal(std::string id, int number);
  // Output byte for byte, as it was printed.
  boost::asio::awaitable<Result<OutputRead>> read(OutputQuery query,
                                                  std::function<void(std::string_view)> on_output,
                                                  Cancel cancel = {});
  // True: all of it was taken. False: the process takes no more input. `end`: close the input
  // behind it; at a terminal, press what ends the input there.
  boost::asio::awaitable<Result<bool>> write(std::string id, std::string data, bool end = false);
  boost::asio::awaitable<Result<void>> resize(std::string id, ScreenSize size);

  // How far a reader of that name has read the output; 0: it has not.
  Result<std::uint64_t> mark(const std::string& id, const std::string& name);
  Result<void> set_mark(const std::string& id, const std::string& name, std::uint64_t cursor);

  // Hands events over, in order, until cancelled. One that is not taken (false) is offered again.
  boost::asio::awaitable<Result<void>> follow_events(EventOptions options,
                                                     std::function<bool(const ProcessEvent&)> sink,
                                                     Cancel cancel = {});
  // Looks for targets that have processes by now, so that their events are followed, too, and for
  // events that other programs have brought.
  boost::asio::awaitable<void> look_for_targets();
  // This consumer has had everything up to that event.
  Result<void> acknowledge(const std::string& consumer, std::uint64_t event);
  // What is kept of them behind `after`, whoever has had it: at most `limit`, the newest if there
  // are more.
  boost::asio::awaitable<Result<std::vector<ProcessEvent>>> recent_events(std::uint64_t after,
                                                                          std::size_t limit);
  // What this consumer is to be told and has not had; it still has to acknowledge it.
  boost::asio::awaitable<Result<std::vector<ProcessEvent>>> pending_events(std::string consumer,
                                                                           std::size_t limit);

  // The JSON of an event, as JSON lines push it.
  boost::json::object describe(const ProcessEvent& event) const;

 private:
  std::shared_ptr<AsioRuntime::Core> core_;
};

}  // namespace talaria
