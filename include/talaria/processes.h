// Processes: the background processes of a home: those that this program or others started, at
// every target that can be reached. Models use the tools `terminal` and `process`.
//
// Each function waits, or calls `done` on the runtime's thread. They fail (ErrorReason::closed)
// once the Runtime is destroyed. An Error (not_found): there is no such process.
#pragma once

#include <talaria/command.h>
#include <talaria/event.h>
#include <talaria/process.h>
#include <talaria/runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

class TALARIA_API Processes {
 public:
  explicit Processes(const Runtime& runtime) : loop_(runtime.loop()) {}

  // Its id. Policy decides first, as for every command.
  Result<std::string> start(ProcessStart start, Cancel cancel = {});
  void start(ProcessStart start, Cancel cancel, std::function<void(Result<std::string>)> done);

  // With up to `tail` bytes of the last output of each. Targets where nothing was started are not
  // asked.
  Result<ProcessList> list(std::uint64_t tail = 0);
  void list(std::uint64_t tail, std::function<void(Result<ProcessList>)> done);
  Result<ProcessInfo> find(const std::string& id, std::uint64_t tail = 0);
  void find(const std::string& id, std::uint64_t tail,
            std::function<void(Result<ProcessInfo>)> done);

  // Returns when it has ended. No event announces the end after that.
  Result<ProcessInfo> wait(const std::string& id, Cancel cancel = {});
  void wait(const std::string& id, Cancel cancel, std::function<void(Result<ProcessInfo>)> done);

  // Ends its whole tree.
  Result<KilledProcess> kill(const std::string& id);
  void kill(const std::string& id, std::function<void(Result<KilledProcess>)> done);
  // Continues if one cannot be ended.
  Result<KilledAll> kill_all(KillAll which = {});
  void kill_all(KillAll which, std::function<void(Result<KilledAll>)> done);
  Result<void> signal(const std::string& id, int number);
  void signal(const std::string& id, int number, std::function<void(Result<void>)> done);

  // Output byte for byte, as it was printed. on_output is called as that of a Command is.
  Result<OutputRead> read(OutputQuery query, std::function<void(std::string_view)> on_output,
                          Cancel cancel = {});
  void read(OutputQuery query, std::function<void(std::string_view)> on_output, Cancel cancel,
            std::function<void(Result<OutputRead>)> done);

  // True: all of it was taken. False: the process takes no more input. `end`: close the input after
  // it; at a terminal, send the character that ends the input there.
  Result<bool> write(const std::string& id, std::string data, bool end = false);
  void write(const std::string& id, std::string data, bool end,
             std::function<void(Result<bool>)> done);
  Result<void> resize(const std::string& id, ScreenSize size);
  void resize(const std::string& id, ScreenSize size, std::function<void(Result<void>)> done);

  // Passes events to `sink`, in order, until cancelled. `sink` is called on the runtime's thread
  // and must be quick; if it returns false, the event comes again.
  Result<void> follow_events(EventOptions options, std::function<bool(const ProcessEvent&)> sink,
                             Cancel cancel);
  void follow_events(EventOptions options, std::function<bool(const ProcessEvent&)> sink,
                     Cancel cancel, std::function<void(Result<void>)> done);
  // This consumer has received everything up to that event.
  Result<void> acknowledge(const std::string& consumer, std::uint64_t event);
  // The stored events after `after`, received or not: the newest `limit` of them.
  Result<std::vector<ProcessEvent>> recent_events(std::uint64_t after, std::size_t limit);

 private:
  std::shared_ptr<RuntimeLoop> loop_;
};

}  // namespace talaria
