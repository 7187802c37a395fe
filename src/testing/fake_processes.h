// FakeProcesses: processes that are only a list. A test puts them there and reads what was done.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "base/event.h"
#include "environment/processes.h"

namespace talaria::test {

class FakeProcesses final : public environment::Processes {
 public:
  struct Started {
    environment::CommandSpec command;
    environment::ProcessSpec spec;
  };

  std::vector<ProcessInfo> all;                // what list() finds; tail: all of the output
  std::vector<Started> started;                // what start() was asked
  std::map<std::string, std::string> written;  // input by process
  std::vector<std::string> killed;
  std::vector<std::pair<std::string, int>> signals;
  std::vector<std::pair<std::string, ScreenSize>> sizes;
  std::vector<environment::NumberedEvent> reported;  // what events() brings
  std::uint64_t acknowledged = 0;
  Result<environment::StartedProcess> start_answer =
      environment::StartedProcess{.id = "proc_000000000001", .pid = 42};

  void set_prepare(Prepare prepare) override { prepare_ = std::move(prepare); }

  Task<Result<environment::StartedProcess>> start(environment::CommandSpec command,
                                                  environment::ProcessSpec spec,
                                                  CancelToken cancel) override {
    if (prepare_) (void)co_await prepare_(cancel);
    started.push_back({std::move(command), std::move(spec)});
    co_return start_answer;
  }

  Task<Result<environment::StartedProcess>> start_as(std::string, environment::CommandSpec,
                                                     environment::ProcessSpec,
                                                     CancelToken) override {
    co_return fail(ErrorKind::unavailable, "a fake process has no fixed id");
  }

  Task<Result<std::vector<ProcessInfo>>> list(environment::ProcessQuery query) override {
    std::vector<ProcessInfo> found;
    for (const ProcessInfo& one : all) {
      if (query.id.empty() || one.id == query.id) found.push_back(with_tail(one, query.tail_limit));
    }
    co_return found;
  }

  Task<Result<ProcessInfo>> wait(environment::ProcessQuery query, CancelToken cancel) override {
    asio::steady_timer look(co_await asio::this_coro::executor);
    for (;;) {
      const ProcessInfo* info = find(query.id);
      if (info == nullptr) co_return fail(ErrorKind::not_found, "no process " + query.id);
      if (!info->running) co_return with_tail(*info, query.tail_limit);
      if (cancel.cancelled()) co_return fail(ErrorKind::interrupted, "given up");
      look.expires_after(std::chrono::milliseconds(1));
      co_await look.async_wait(as_values);
    }
  }

  Task<Result<KilledProcess>> kill(std::string id, std::string source) override {
    killed.push_back(id);
    for (ProcessInfo& one : all) {
      if (one.id != id) continue;
      if (!one.running) co_return KilledProcess{.already_ended = true};
      one.running = false;
      one.ended = ProcessEnd::killed;
      one.exit_code = -15;
      one.source = source;
      co_return KilledProcess{};
    }
    co_return fail(ErrorKind::not_found, "no process " + id);
  }

  Task<Result<void>> signal(std::string id, int number) override {
    signals.emplace_back(std::move(id), number);
    co_return Result<void>();
  }

  Task<Result<OutputRead>> read(OutputQuery query, environment::OutputSink on_output,
                                CancelToken) override {
    const ProcessInfo* info = find(query.id);
    if (info == nullptr) co_return fail(ErrorKind::not_found, "no process " + query.id);
    const std::string& text = info->tail;
    const std::uint64_t from = std::min<std::uint64_t>(query.from, text.size());
    const std::uint64_t max = query.max == 0 ? text.size() : query.max;
    const std::string piece =
        text.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(max));
    if (!piece.empty()) on_output(from, piece);
    const std::uint64_t next = from + piece.size();
    co_return OutputRead{
        .next = next, .total = text.size(), .eof = !info->running && next == text.size()};
  }

  Task<Result<bool>> write(std::string id, std::string data, bool end, CancelToken) override {
    written[id] += data + (end ? "<end>" : "");
    const ProcessInfo* info = find(id);
    co_return info != nullptr && info->takes_input;
  }

  Task<Result<void>> resize(std::string id, ScreenSize size) override {
    sizes.emplace_back(std::move(id), size);
    co_return Result<void>();
  }

  Task<Result<std::uint64_t>> events(
      environment::EventQuery query,
      std::function<void(const environment::NumberedEvent&)> on_event,
      CancelToken cancel) override {
    for (const environment::NumberedEvent& one : reported) {
      if (one.number > query.after) on_event(one);
    }
    if (query.follow) {
      AsyncEvent cancelled;
      cancel.on_cancel([&cancelled] { cancelled.set(); });
      co_await cancelled.wait();
      cancel.on_cancel(nullptr);
    }
    co_return reported.empty() ? 0 : reported.back().number;
  }

  Task<Result<void>> acknowledge(std::string, std::uint64_t up_to) override {
    acknowledged = up_to;
    co_return Result<void>();
  }

  std::string instance() const override { return "fake"; }

 private:
  const ProcessInfo* find(const std::string& id) const {
    const auto found = std::ranges::find(all, id, &ProcessInfo::id);
    return found == all.end() ? nullptr : &*found;
  }

  static ProcessInfo with_tail(ProcessInfo info, std::uint64_t limit) {
    info.output_bytes = info.tail.size();
    info.tail_from = info.tail.size() - std::min<std::uint64_t>(limit, info.tail.size());
    info.tail = info.tail.substr(static_cast<std::size_t>(info.tail_from));
    return info;
  }

  Prepare prepare_;
};

}  // namespace talaria::test
