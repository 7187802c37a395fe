// SearchProcesses: the searches that are under way in a runner, each a process of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.h"
#include "link/search_messages.h"

namespace talaria::runner {

namespace asio = boost::asio;

class SearchProcesses;

// SearchProcess: one search. Destroying it ends the search and all that it started.
class SearchProcess : public std::enable_shared_from_this<SearchProcess> {
 public:
  SearchProcess(SearchProcesses& searches, const asio::any_io_executor& executor, pid_t pid,
                int input, int output);
  SearchProcess(const SearchProcess&) = delete;
  SearchProcess& operator=(const SearchProcess&) = delete;
  ~SearchProcess();

  // Calls `on_end` when there is an answer.
  void begin(std::string query, std::chrono::milliseconds patience, std::function<void()> on_end);
  // Another request waits for it now.
  void wake(std::function<void()> on_end) { on_end_ = std::move(on_end); }
  // The answer, once it is there.
  const std::optional<Result<std::string>>& answer() const { return answer_; }

 private:
  void read();
  void end(Result<std::string> answer);

  SearchProcesses& searches_;
  pid_t pid_;  // -1 once it has ended
  asio::posix::stream_descriptor input_;
  asio::posix::stream_descriptor output_;
  asio::steady_timer patience_;
  std::string query_;
  std::string response_;
  std::string chunk_;
  std::function<void()> on_end_;
  std::optional<Result<std::string>> answer_;
};

class SearchProcesses {
 public:
  Result<std::shared_ptr<SearchProcess>> start(const asio::any_io_executor& executor,
                                               const link::SearchFiles& query,
                                               std::function<void()> on_end);

  // The batch of its request ended before it did. It continues for a while: the next batch brings
  // the same query, and start() returns it.
  void keep(const asio::any_io_executor& executor, std::string query,
            std::shared_ptr<SearchProcess> search);

 private:
  friend class SearchProcess;
  struct Kept {
    std::string query;
    std::shared_ptr<SearchProcess> search;
    std::shared_ptr<asio::steady_timer> until;
  };

  std::size_t under_way_ = 0;
  std::list<Kept> kept_;
  // The one that answered last: it need not be asked for its version again.
  std::string ripgrep_;
  std::string ripgrep_version_;
};

}  // namespace talaria::runner
