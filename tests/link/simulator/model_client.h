// A controller with a few jobs, which checks every byte it gets. A job starts a process, reads its
// output live, gives it input if it wants some, and is done when the exit report is there.
//
// The jobs outlive the client, as a controller's journal does: a client made after a crash attaches
// to what it knows the process id of, from the byte it had reached.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "link/client.h"
#include "link/simulator/model_runner.h"
#include "link/simulator/pattern.h"

namespace talaria::test::simulator {

struct Job {
  std::string start_id;
  std::uint64_t out = 0;      // bytes the process prints
  std::uint64_t in = 0;       // bytes of input it gets; 0: none
  std::uint64_t padding = 0;  // makes the command large
  std::uint64_t window = 64;  // how far the runner may send ahead
  bool resumes = true;        // with a request of its own; otherwise the same is sent again
  bool inlines = false;       // input goes inside the requests, not as a stream
  bool slow = false;          // gives credit only when the world says so

  std::string process;       // once known
  std::uint64_t cursor = 0;  // bytes received
  bool data_ended = false;
  std::uint64_t given = 0;  // bytes of input known to be applied
  bool input_done = false;
  bool answered = false;
  bool abandoned = false;  // the client died before it knew the process
  std::string failure;     // kind of the error it was answered with

  std::uint64_t who() const { return std::hash<std::string>{}(start_id); }
  bool settled() const { return abandoned || (answered && (in == 0 || input_done)); }
};

class ModelClient {
 public:
  ModelClient(std::uint64_t number, link::LinkLimits limits, bool eager, std::vector<Job>& jobs,
              Truth& truth)
      : jobs_(jobs), truth_(truth), link_(options(number, limits, eager)) {}

  link::LinkClient& link() { return link_; }

  // A new controller: start what was never started, attach to the rest.
  void begin() {
    for (Job& job : jobs_) {
      if (job.settled()) continue;
      if (job.process.empty()) {
        ask_start(job);
      } else {
        if (!job.answered) ask_wait(job);
        if (job.in > 0 && !job.input_done) ask_write(job);
      }
    }
  }

  void drain() {
    while (std::optional<link::LinkEvent> event = link_.next_event()) {
      std::visit([this](auto& e) { on(e); }, *event);
    }
  }

  // The readers of slow jobs take what they have.
  bool consume() {
    bool granted = false;
    for (const auto& [id, role] : roles_) {
      Job& job = *role.job;
      if (role.is_upload || !job.slow || granted_[id] >= job.cursor + job.window) continue;
      give_credit(id, job);
      granted = true;
    }
    return granted;
  }

  bool wants_connection() const { return wants_connection_; }
  void connected() { wants_connection_ = false; }

 private:
  struct Role {
    Job* job;
    bool is_upload = false;
  };

  static link::LinkClientOptions options(std::uint64_t number, link::LinkLimits limits,
                                         bool eager) {
    std::uint64_t links = 0;
    return {.new_link_id =
                [number, links]() mutable {
                  link::LinkId id;
                  id.bytes[0] = static_cast<char>(number);
                  id.bytes[1] = static_cast<char>(++links);
                  return id;
                },
            .limits = limits,
            .eager_first_contact = eager};
  }

  void ask_start(Job& job) {
    link::Start start{.start_id = job.start_id,
                      .sequence = link_.next_start_sequence(),
                      .command = std::string(job.padding, '#'),
                      .env = {"OUT=" + std::to_string(job.out)},
                      .stdin_mode = job.in > 0 ? link::StdinMode::stream : link::StdinMode::none,
                      .stream_output = true};
    link::RequestOptions options{.data_limit = job.window};
    if (job.resumes) {
      options.resume = [&job, start](std::uint64_t received) {
        if (!job.process.empty()) return wait_call(job, received);
        link::Start again = start;
        again.output_from = received;
        return link::Call{link::Method::start, link::encode(again)};
      };
    }
    remember(link_.request(start, std::move(options)), job, false);
  }

  static link::Call wait_call(const Job& job, std::uint64_t received) {
    const link::Wait wait{.process = job.process, .stream_output = true, .output_from = received};
    return {link::Method::wait, link::encode(wait)};
  }

  void ask_wait(Job& job) {
    link::Call call = wait_call(job, job.cursor);
    link::RequestOptions options{.data_from = job.cursor, .data_limit = job.cursor + job.window};
    if (job.resumes) {
      options.resume = [&job](std::uint64_t received) { return wait_call(job, received); };
    }
    remember(link_.request(call.method, std::move(call.body), std::move(options)), job, false);
  }

  void ask_write(Job& job) {
    link::Write write{.process = job.process, .stream = true, .end = true};
    if (job.inlines) {
      const std::uint64_t size = std::min(job.in - job.given, kInlineInput);
      write.from = job.given;
      write.data = bytes_at(job.who(), job.given, size);
      write.stream = false;
      write.end = job.given + size == job.in;
    }
    remember(link_.request(write), job, true);
  }

  void remember(const Result<link::ExchangeId>& id, Job& job, bool is_upload) {
    truth_.check(id.has_value(), "a request was refused");
    if (id) roles_[*id] = {&job, is_upload};
    if (id) granted_[*id] = job.cursor + job.window;
  }

  void give_credit(link::ExchangeId id, Job& job) {
    granted_[id] = job.cursor + job.window;
    link_.grant(id, job.cursor, job.cursor + job.window);
  }

  void on(link::Disconnected& gone) {
    truth_.check(
        gone.reason != link::CloseReason::protocol && gone.reason != link::CloseReason::limit,
        "the link broke by itself: " + gone.error.message());
    wants_connection_ = gone.retry;
  }

  void on(link::Note& note) {
    const auto it = roles_.find(note.id);
    if (it == roles_.end()) return;
    Job& job = *it->second.job;
    const link::Started started = *link::decode<link::Started>(note.body);
    truth_.check(job.process.empty() || job.process == started.process,
                 job.start_id + " became two processes");
    const bool first = std::exchange(job.process, started.process).empty();
    if (first && job.in > 0) ask_write(job);
  }

  void on(link::Data& data) {
    const auto it = roles_.find(data.id);
    if (it == roles_.end()) return;
    Job& job = *it->second.job;
    truth_.check(data.offset == job.cursor, job.start_id + ": output skipped or repeated");
    truth_.check(data.bytes == bytes_at(job.who(), data.offset, data.bytes.size()),
                 job.start_id + ": output has the wrong bytes");
    job.cursor = data.offset + data.bytes.size();
    if (!job.slow) give_credit(data.id, job);
  }

  void on(link::DataEnd& end) {
    const auto it = roles_.find(end.id);
    if (it == roles_.end()) return;
    Job& job = *it->second.job;
    truth_.check(end.offset == job.out && job.cursor == job.out,
                 job.start_id + ": the end came before the last byte");
    job.data_ended = true;
  }

  void on(link::Writable& writable) {
    const auto it = roles_.find(writable.id);
    if (it == roles_.end() || !it->second.is_upload) return;
    const Job& job = *it->second.job;
    const std::uint64_t end = std::min(job.in, writable.limit);
    if (writable.next < end) {
      link_.send_data(writable.id, writable.next,
                      bytes_at(job.who(), writable.next, end - writable.next));
    }
    if (end == job.in) link_.end_data(writable.id, job.in);
  }

  void on(link::Response& response) {
    const auto it = roles_.find(response.id);
    if (it == roles_.end()) return;
    Job& job = *it->second.job;
    if (it->second.is_upload) {
      job.given = response.body ? link::decode<link::WriteReport>(*response.body)->next : job.in;
      job.input_done = job.given == job.in;
      if (!job.input_done) ask_write(job);
    } else {
      job.answered = true;
      truth_.check(!response.body || (job.data_ended && job.cursor == job.out),
                   job.start_id + ": answered before its output was delivered");
    }
    if (!response.body) {
      job.failure = kind_name(response.body.error().kind());
      job.answered = job.input_done = true;
    }
    roles_.erase(it);
  }

  template <class Other>
  void on(Other&) {}

  static constexpr std::uint64_t kInlineInput = 40;

  std::vector<Job>& jobs_;
  Truth& truth_;
  link::LinkClient link_;
  std::map<link::ExchangeId, Role> roles_;
  std::map<link::ExchangeId, std::uint64_t> granted_;
  bool wants_connection_ = true;
};

}  // namespace talaria::test::simulator
