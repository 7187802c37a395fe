#include <talaria/processes.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/asio_processes.h"
#include "api/cancel_watch.h"
#include "api/runtime_loop.h"
#include "base/result.h"

namespace talaria {
namespace {

// What `work` does with the processes of a runtime. They may be gone before it ends.
template <class T, class Work>
RuntimeLoop::Begin<T> with_processes(Work work) {
  return [work = std::move(work)](AsioRuntime& runtime) mutable {
    AsioProcesses processes(runtime);
    return work(processes);
  };
}

// The output in pieces of which each is passed on before the next is read.
constexpr std::uint64_t kPieceBytes = 256u << 10;

Task<Result<OutputRead>> read_relayed(AsioProcesses processes, OutputQuery query, Cancel cancel,
                                      std::shared_ptr<OutputRelay> relay) {
  const CancelWatch watch(cancel, [relay] { relay->cancel().cancel(); });
  const auto sink = [relay](std::string_view bytes) { relay->add(0, bytes); };
  const std::uint64_t most = query.max;
  const std::uint64_t begin = query.from;
  OutputRead all;
  for (;;) {
    const std::uint64_t left = most == 0 ? kPieceBytes : most - (query.from - begin);
    query.max = std::min(left, kPieceBytes);
    auto read = co_await processes.read(query, sink, relay->cancel());
    co_await relay->drained();
    if (std::optional<Error> error = relay->error()) co_return fail(std::move(*error));
    if (!read) co_return read;
    const bool stands = read->next == query.from;
    all = {
        .next = read->next, .total = read->total, .eof = read->eof, .lost = all.lost + read->lost};
    query.from = read->next;
    if (read->eof || stands || (most > 0 && query.from - begin >= most)) co_return all;
    if (!query.follow && query.from >= read->total) co_return all;
  }
}

OutputRelay::Sink sink_of(std::function<void(std::string_view)> on_output) {
  return [on_output = std::move(on_output)](std::uint64_t, std::string_view bytes) {
    on_output(bytes);
  };
}

}  // namespace

Result<std::string> Processes::start(ProcessStart start, Cancel cancel) {
  return loop_->wait<std::string>(
      "start()", with_processes<std::string>([start = std::move(start), cancel = std::move(cancel)](
                                                 AsioProcesses& processes) mutable {
        return processes.start(std::move(start), std::move(cancel));
      }));
}

void Processes::start(ProcessStart start, Cancel cancel,
                      std::function<void(Result<std::string>)> done) {
  loop_->start<std::string>(
      with_processes<std::string>(
          [start = std::move(start), cancel = std::move(cancel)](AsioProcesses& processes) mutable {
            return processes.start(std::move(start), std::move(cancel));
          }),
      std::move(done));
}

Result<ProcessList> Processes::list(std::uint64_t tail) {
  return loop_->wait<ProcessList>(
      "list()", with_processes<ProcessList>(
                    [tail](AsioProcesses& processes) mutable { return processes.list(tail); }));
}

void Processes::list(std::uint64_t tail, std::function<void(Result<ProcessList>)> done) {
  loop_->start<ProcessList>(with_processes<ProcessList>([tail](AsioProcesses& processes) mutable {
                              return processes.list(tail);
                            }),
                            std::move(done));
}

Result<ProcessInfo> Processes::find(const std::string& id, std::uint64_t tail) {
  return loop_->wait<ProcessInfo>(
      "find()", with_processes<ProcessInfo>([id, tail](AsioProcesses& processes) mutable {
        return processes.find(id, tail);
      }));
}

void Processes::find(const std::string& id, std::uint64_t tail,
                     std::function<void(Result<ProcessInfo>)> done) {
  loop_->start<ProcessInfo>(
      with_processes<ProcessInfo>(
          [id, tail](AsioProcesses& processes) mutable { return processes.find(id, tail); }),
      std::move(done));
}

Result<ProcessInfo> Processes::wait(const std::string& id, Cancel cancel) {
  return loop_->wait<ProcessInfo>(
      "wait()", with_processes<ProcessInfo>(
                    [id, cancel = std::move(cancel)](AsioProcesses& processes) mutable {
                      return processes.wait(id, std::move(cancel));
                    }));
}

void Processes::wait(const std::string& id, Cancel cancel,
                     std::function<void(Result<ProcessInfo>)> done) {
  loop_->start<ProcessInfo>(with_processes<ProcessInfo>(
                                [id, cancel = std::move(cancel)](AsioProcesses& processes) mutable {
                                  return processes.wait(id, std::move(cancel));
                                }),
                            std::move(done));
}

Result<KilledProcess> Processes::kill(const std::string& id) {
  return loop_->wait<KilledProcess>(
      "kill()", with_processes<KilledProcess>(
                    [id](AsioProcesses& processes) mutable { return processes.kill(id); }));
}

void Processes::kill(const std::string& id, std::function<void(Result<KilledProcess>)> done) {
  loop_->start<KilledProcess>(with_processes<KilledProcess>([id](AsioProcesses& processes) mutable {
                                return processes.kill(id);
                              }),
                              std::move(done));
}

Result<KilledAll> Processes::kill_all(KillAll which) {
  return loop_->wait<KilledAll>(
      "kill_all()",
      with_processes<KilledAll>([which = std::move(which)](AsioProcesses& processes) mutable {
        return processes.kill_all(std::move(which));
      }));
}

void Processes::kill_all(KillAll which, std::function<void(Result<KilledAll>)> done) {
  loop_->start<KilledAll>(
      with_processes<KilledAll>([which = std::move(which)](AsioProcesses& processes) mutable {
        return processes.kill_all(std::move(which));
      }),
      std::move(done));
}

Result<void> Processes::signal(const std::string& id, int number) {
  return loop_->wait<void>("signal()",
                           with_processes<void>([id, number](AsioProcesses& processes) mutable {
                             return processes.signal(id, number);
                           }));
}

void Processes::signal(const std::string& id, int number, std::function<void(Result<void>)> done) {
  loop_->start<void>(with_processes<void>([id, number](AsioProcesses& processes) mutable {
                       return processes.signal(id, number);
                     }),
                     std::move(done));
}

Result<bool> Processes::write(const std::string& id, std::string data, bool end) {
  return loop_->wait<bool>("write()", with_processes<bool>([id, data = std::move(data),
                                                            end](AsioProcesses& processes) mutable {
                             return processes.write(id, std::move(data), end);
                           }));
}

void Processes::write(const std::string& id, std::string data, bool end,
                      std::function<void(Result<bool>)> done) {
  loop_->start<bool>(
      with_processes<bool>([id, data = std::move(data), end](AsioProcesses& processes) mutable {
        return processes.write(id, std::move(data), end);
      }),
      std::move(done));
}

Result<void> Processes::resize(const std::string& id, ScreenSize size) {
  return loop_->wait<void>("resize()",
                           with_processes<void>([id, size](AsioProcesses& processes) mutable {
                             return processes.resize(id, size);
                           }));
}

void Processes::resize(const std::string& id, ScreenSize size,
                       std::function<void(Result<void>)> done) {
  loop_->start<void>(with_processes<void>([id, size](AsioProcesses& processes) mutable {
                       return processes.resize(id, size);
                     }),
                     std::move(done));
}

Result<void> Processes::follow_events(EventOptions options,
                                      std::function<bool(const ProcessEvent&)> sink,
                                      Cancel cancel) {
  return loop_->wait<void>(
      "follow_events()",
      with_processes<void>([options = std::move(options), sink = std::move(sink),
                            cancel = std::move(cancel)](AsioProcesses& processes) mutable {
        return processes.follow_events(std::move(options), std::move(sink), std::move(cancel));
      }));
}

void Processes::follow_events(EventOptions options, std::function<bool(const ProcessEvent&)> sink,
                              Cancel cancel, std::function<void(Result<void>)> done) {
  loop_->start<void>(
      with_processes<void>([options = std::move(options), sink = std::move(sink),
                            cancel = std::move(cancel)](AsioProcesses& processes) mutable {
        return processes.follow_events(std::move(options), std::move(sink), std::move(cancel));
      }),
      std::move(done));
}

Result<OutputRead> Processes::read(OutputQuery query,
                                   std::function<void(std::string_view)> on_output, Cancel cancel) {
  const auto loop = loop_;
  return loop->wait_relayed<OutputRead>(
      "read()", sink_of(std::move(on_output)),
      [&](AsioRuntime& runtime, std::shared_ptr<OutputRelay> relay) {
        return read_relayed(AsioProcesses(runtime), std::move(query), std::move(cancel),
                            std::move(relay));
      });
}

void Processes::read(OutputQuery query, std::function<void(std::string_view)> on_output,
                     Cancel cancel, std::function<void(Result<OutputRead>)> done) {
  loop_->start_relayed<OutputRead>(
      sink_of(std::move(on_output)),
      [query = std::move(query), cancel = std::move(cancel)](
          AsioRuntime& runtime, std::shared_ptr<OutputRelay> relay) mutable {
        return read_relayed(AsioProcesses(runtime), std::move(query), std::move(cancel),
                            std::move(relay));
      },
      std::move(done));
}

Result<void> Processes::acknowledge(const std::string& consumer, std::uint64_t event) {
  return loop_->wait<void>("acknowledge()", with_processes<void>([&](AsioProcesses& processes) {
                             return processes.acknowledge(consumer, event);
                           }));
}

Result<std::vector<ProcessEvent>> Processes::recent_events(std::uint64_t after, std::size_t limit) {
  using Events = std::vector<ProcessEvent>;
  return loop_->wait<Events>("recent_events()",
                             with_processes<Events>([&](AsioProcesses& processes) {
                               return processes.recent_events(after, limit);
                             }));
}

}  // namespace talaria
