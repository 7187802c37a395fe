#include "runner/search/search_processes.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include "link/envelope.h"
#include "link/limits.h"
#include "os/child_process.h"
#include "os/own_process.h"
#include "runner/limits.h"
#include "runner/search/search_main.h"

namespace talaria::runner {
namespace {

constexpr auto kKeptSearch = std::chrono::seconds(10);  // without a batch; the next comes at once

}  // namespace

SearchProcess::SearchProcess(SearchProcesses& searches, const asio::any_io_executor& executor,
                             pid_t pid, int input, int output)
    : searches_(searches),
      pid_(pid),
      input_(executor, input),
      output_(executor, output),
      patience_(executor),
      chunk_(64 * link::kKiB, '\0') {
  ++searches_.under_way_;
}

SearchProcess::~SearchProcess() {
  --searches_.under_way_;
  if (pid_ > 0) ::kill(-pid_, SIGKILL);  // it leads its session; it need not be reaped
}

void SearchProcess::begin(std::string query, std::chrono::milliseconds patience,
                          std::function<void()> on_end) {
  query_ = std::move(query);
  on_end_ = std::move(on_end);
  asio::async_write(input_, asio::buffer(query_),
                    [weak = weak_from_this()](boost::system::error_code, std::size_t) {
                      if (const auto self = weak.lock()) self->input_.close();
                    });
  patience_.expires_after(patience);
  patience_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (!self || error) return;
    self->end(fail(ErrorKind::timed_out, "the search did not end in time, and was killed"));
  });
  read();
}

void SearchProcess::read() {
  output_.async_read_some(
      asio::buffer(chunk_),
      [weak = weak_from_this()](boost::system::error_code error, std::size_t size) {
        const auto self = weak.lock();
        if (!self || self->answer_) return;
        self->response_.append(self->chunk_, 0, size);
        if (!error && self->response_.size() <= link::kMaxMessage) return self->read();
        auto response = link::decode_response(self->response_);
        if (!response || self->response_.empty()) {
          return self->end(fail(ErrorKind::system, "the search ended without an answer"));
        }
        ::waitpid(self->pid_, nullptr, 0);  // it is about to end
        self->pid_ = -1;
        self->end(std::move(*response));
      });
}

void SearchProcess::end(Result<std::string> answer) {
  patience_.cancel();
  if (const auto report = answer ? link::decode<link::SearchReport>(*answer) : fail(answer.error());
      report && report->engine == link::SearchEngine::ripgrep) {
    searches_.ripgrep_ = report->engine_path;
    searches_.ripgrep_version_ = report->engine_version;
  }
  answer_ = std::move(answer);
  const auto self = shared_from_this();  // the callback may release it
  if (on_end_) std::exchange(on_end_, nullptr)();
}

Result<std::shared_ptr<SearchProcess>> SearchProcesses::start(const asio::any_io_executor& executor,
                                                              const link::SearchFiles& query,
                                                              std::function<void()> on_end) {
  const std::string text = link::encode(query);
  if (const auto kept = std::ranges::find(kept_, text, &Kept::query); kept != kept_.end()) {
    auto search = std::move(kept->search);
    kept_.erase(kept);
    search->wake(std::move(on_end));
    return search;
  }
  if (under_way_ >= kMaxSearches) {
    return fail(ErrorKind::limit,
                std::to_string(kMaxSearches) + " searches are under way; wait for one of them");
  }
  const std::string program = os::own_program();
  os::SpawnSpec spec{.path = program.c_str(),
                     .argv = {"talaria-runner", kSearchArgument},
                     .env = os::own_environment(),
                     .cwd = "/"};
  if (!ripgrep_.empty()) {
    spec.argv.insert(spec.argv.end(), {ripgrep_.c_str(), ripgrep_version_.c_str()});
  }
  auto child = os::spawn_piped(std::move(spec));
  if (!child) return fail(child.error());
  auto process = std::make_shared<SearchProcess>(*this, executor, child->process.pid(),
                                                 child->input.release(), child->output.release());
  child->process.dismiss(0);  // the search ends it
  process->begin(text, time_of(query) + kSearchGrace, std::move(on_end));
  return process;
}

void SearchProcesses::keep(const asio::any_io_executor& executor, std::string query,
                           std::shared_ptr<SearchProcess> search) {
  const auto until = std::make_shared<asio::steady_timer>(executor, kKeptSearch);
  const SearchProcess* const which = search.get();
  kept_.push_back({std::move(query), std::move(search), until});
  until->async_wait([this, which](boost::system::error_code error) {
    if (error) return;  // it was taken up again, or we are gone
    std::erase_if(kept_, [&](const Kept& one) { return one.search.get() == which; });
  });
}

}  // namespace talaria::runner
