// AsioRuntime: what every front calls: a runtime without a thread, on the Boost.Asio loop of its
// program. It is used from that loop only (one thread at a time); just a Cancel may be cancelled
// from anywhere. Embedding programs have talaria/runtime.h, which has nothing of Boost.
#pragma once

#include <talaria/call.h>
#include <talaria/cancel.h>
#include <talaria/command.h>
#include <talaria/environment.h>
#include <talaria/error.h>
#include <talaria/options.h>
#include <talaria/shared_files.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace talaria {

class OutputFlow;

class AsioRuntime {
 public:
  // Never fails: with an invalid configuration every call returns that error. check() reports what
  // is wrong with the configuration or the options.
  AsioRuntime(const boost::asio::any_io_executor& executor, Options options);
  AsioRuntime(AsioRuntime&& other) noexcept;
  AsioRuntime& operator=(AsioRuntime&& other) noexcept;
  // Cancels the calls under way. They still end by themselves, on the loop.
  ~AsioRuntime();

  // The loop that it works on.
  const boost::asio::any_io_executor& executor() const;

  Result<void> check() const;
  // Invalid values of the configuration that are ignored: the default is used.
  std::vector<std::string> warnings() const;

  struct Facts {
    std::string home;
    std::string target;     // of tasks without an override
    bool isolated = false;  // what commands break stays there, by the configuration
  };
  Facts facts() const;
  // Described for a model that may use these (absent: all), with the limits of this configuration.
  std::vector<ToolInfo> tools(const std::optional<std::vector<std::string>>& only) const;

  // As in talaria/runtime.h.
  // `flow`: may hold up its output.
  boost::asio::awaitable<Result<Outcome>> run(Command command, Cancel cancel = {},
                                              std::shared_ptr<OutputFlow> flow = nullptr);

  // The same without on_output, and with the result as JSON in the form of the terminal tool.
  struct DescribedOutcome {
    Result<Outcome> outcome;
    boost::json::object result;
  };
  boost::asio::awaitable<DescribedOutcome> run_and_describe(Command command, Cancel cancel = {});

  // The result of a tool, which reports its own errors in JSON. An Error: there is no such tool, or
  // the context is invalid.
  boost::asio::awaitable<Result<boost::json::object>> call(std::string tool,
                                                           boost::json::object arguments,
                                                           CallContext context = {},
                                                           Cancel cancel = {});

  // The same for arguments as JSON text; an Error, too, if that is not an object.
  boost::asio::awaitable<Result<boost::json::object>> call_text(std::string tool,
                                                                std::string_view arguments,
                                                                CallContext context = {},
                                                                Cancel cancel = {});

  std::vector<EnvironmentInfo> environments() const;
  bool has_environment(const std::string& task) const;  // it need not be made
  boost::asio::awaitable<EnvironmentTotals> environment_totals() const;
  boost::asio::awaitable<Result<void>> remove_environment(std::string id, Removal how = {});
  // Cancelled: files that were changed at a target are not brought back any longer; they stay
  // there.
  boost::asio::awaitable<std::size_t> remove_all_environments(Removal how = {}, Cancel cancel = {});
  // Has containers wait for tasks from now on, if the configuration says so (pool.size). Else that
  // begins with the first task.
  void fill_pool();
  // Ends that. remove_all_environments() does it, too.
  boost::asio::awaitable<void> end_pool();
  PoolTotals pool_totals() const;
  Result<void> override_task(const std::string& task, const boost::json::object& overrides);
  void clear_override(const std::string& task);
  // What was said for each task, by this program or another of its home.
  boost::json::object overrides() const;
  Result<void> requirements() const;
  // The same, and whether the engine of the target (docker, ...) answers now.
  boost::asio::awaitable<Result<void>> reach() const;

  // Whether other programs of this home use the same environments, not some of their own.
  bool shares_environments() const;

  // Adds a name to Options::pass_through.
  Result<void> pass_through(std::string_view name);
  // Files below the home that other targets get from now on (an engine's container: the next one),
  // besides those of terminal.credential_files: texts, or objects with `path` or `name`. Returns
  // those that are refused; the others are shared.
  std::vector<RefusedFile> share_files(const boost::json::array& files);

  class Core;  // src/api/core.h: a test makes one of its own
  explicit AsioRuntime(std::shared_ptr<Core> core);
  const std::shared_ptr<Core>& core() const { return core_; }

 private:
  std::shared_ptr<Core> core_;
};

}  // namespace talaria
