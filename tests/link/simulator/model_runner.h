// A runner without processes: commands are descriptions (OUT bytes to print, IN whether input is
// read), output is computed, and time is a step of the simulator. The link side of it is what a
// real runner does: admit connections, ask the ledger, answer by cursor.
//
// Mutation breaks one rule on purpose, to show that the simulator notices.
#pragma once

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "link/connection.h"
#include "link/messages.h"
#include "link/registry.h"
#include "link/simulator/pattern.h"

namespace talaria::test::simulator {

enum class Mutation {
  none,
  forgets_starts,   // runs every start it is sent
  admits_anyone,    // serves whatever link and instance the client names
  skips_a_byte,     // continues output one byte late
  applies_twice,    // does not look at the offset of input
  starves_readers,  // never sends beyond the first credit
};

// What really happened, over all runners: the side of the books no bug in the link can touch.
struct Truth {
  std::map<std::string, int> executions;  // by start id
  std::vector<std::string> faults;        // properties found broken

  void check(bool holds, const std::string& what) {
    if (!holds) faults.push_back(what);
  }
};

class ModelRunner {
 public:
  ModelRunner(std::uint64_t number, Mutation mutation, link::LinkLimits limits,
              std::size_t max_starts, Truth& truth)
      : instance_("runner-" + std::to_string(number)),
        mutation_(mutation),
        limits_(limits),
        truth_(truth),
        registry_(instance_, link::kMaxLinks, max_starts) {}

  void open(link::ConnectionKey key) {
    ends_.emplace(key, End{link::Connection::to_client(limits_)});
  }
  bool has(link::ConnectionKey key) const { return ends_.contains(key); }

  void receive(link::ConnectionKey key, std::string_view bytes) {
    const auto it = ends_.find(key);
    if (it == ends_.end()) return;
    it->second.connection.receive(bytes);
    drain(key);
  }

  std::string output(link::ConnectionKey key, std::size_t most) {
    const auto it = ends_.find(key);
    if (it == ends_.end()) return {};
    std::string bytes(it->second.connection.output().substr(0, most));
    it->second.connection.wrote(bytes.size());
    drain(key);
    return bytes;
  }

  // The stream ended, or the runner itself is done with it.
  void close(link::ConnectionKey key) {
    const auto it = ends_.find(key);
    if (it == ends_.end()) return;
    registry_.disconnected(it->second.link, key);
    ends_.erase(it);
  }

  bool wants_close(link::ConnectionKey key) const {
    const auto it = ends_.find(key);
    return it != ends_.end() && it->second.connection.finished();
  }

  // Every process prints up to `size` bytes more; true if one did.
  bool work(std::uint64_t size) {
    bool printed = false;
    for (auto& [id, process] : processes_) {
      const std::uint64_t more = std::min(size, process.out - process.printed);
      process.printed += more;
      printed |= more > 0;
    }
    std::vector<link::ConnectionKey> keys;
    for (const auto& [key, end] : ends_) keys.push_back(key);
    for (const link::ConnectionKey key : keys) pump(key);
    return printed;
  }

  std::vector<link::ConnectionKey> connections() const {
    std::vector<link::ConnectionKey> keys;
    for (const auto& [key, end] : ends_) keys.push_back(key);
    return keys;
  }

  std::size_t held_bytes(link::ConnectionKey key) const {
    const link::Connection& connection = ends_.at(key).connection;
    return connection.queued_bytes() + connection.reassembly_bytes();
  }

 private:
  struct Process {
    std::uint64_t who = 0;
    std::uint64_t out = 0;
    std::uint64_t printed = 0;
    bool reads_input = false;
    std::uint64_t applied = 0;
    bool input_closed = false;
    std::string start_id;

    bool ended() const { return printed == out && (!reads_input || input_closed); }
  };

  // An exchange that is being answered.
  struct Answer {
    std::string process;
    bool streams = false;
    std::uint64_t cursor = 0;
    bool end_sent = false;
    bool is_upload = false;
    bool closes_input = false;
  };

  struct End {
    link::Connection connection;
    link::LinkId link;
    std::map<link::ExchangeId, Answer> answers;
  };

  void drain(link::ConnectionKey key) {
    for (;;) {
      const auto it = ends_.find(key);
      if (it == ends_.end()) return;
      std::optional<link::Event> event = it->second.connection.next_event();
      if (!event) return;
      std::visit([&](auto& e) { on(key, it->second, e); }, *event);
    }
  }

  void on(link::ConnectionKey key, End& end, link::ClientHello& hello) {
    end.link = hello.link;
    link::Admission admission = registry_.admit(hello, key);
    if (mutation_ == Mutation::admits_anyone && admission.refusal) admission = link::Admission{};
    const link::RunnerHello self{.instance = admission.refusal ? instance_ : said_instance(hello),
                                 .limits = limits_,
                                 .known_link = admission.known_link};
    if (admission.refusal) {
      end.connection.refuse(self, *admission.refusal, admission.message);
      return;
    }
    if (admission.superseded) {
      End& old = ends_.at(*admission.superseded);
      old.connection.close(link::CloseReason::superseded, "a newer connection");
      old.answers.clear();
    }
    end.connection.accept(self);
  }

  std::string said_instance(const link::ClientHello& hello) const {
    const bool lies = mutation_ == Mutation::admits_anyone && !hello.expected_instance.empty();
    return lies ? hello.expected_instance : instance_;
  }

  void on(link::ConnectionKey key, End& end, link::Request& request) {
    switch (request.method) {
      case link::Method::start:
        return start(key, end, request);
      case link::Method::wait: {
        const link::Wait wait = *link::decode<link::Wait>(request.body);
        if (!exists(end, request.id, wait.process)) return;
        end.answers[request.id] = {wait.process, wait.stream_output, resumed(wait.output_from)};
        return pump(key);
      }
      case link::Method::write:
        return write(end, request);
      default:
        end.connection.respond(request.id, fail(ErrorKind::bad_request, "unknown method"));
    }
  }

  void start(link::ConnectionKey key, End& end, const link::Request& request) {
    const Result<link::Start> start = link::decode<link::Start>(request.body);
    truth_.check(start.has_value(), "a start arrived malformed");
    if (!start) return;
    std::string process = "proc_" + instance_ + "_" + std::to_string(processes_.size());
    link::StartLedger::Begin begin =
        registry_.starts().begin(end.link, start->sequence, start->start_id, process);
    if (mutation_ == Mutation::forgets_starts) begin.verdict = link::StartLedger::Verdict::fresh;
    switch (begin.verdict) {
      case link::StartLedger::Verdict::expired:
      case link::StartLedger::Verdict::full:
        end.connection.respond(request.id, fail(ErrorKind::limit, "expired, or too many"));
        return;
      case link::StartLedger::Verdict::known:
        process = begin.process;
        break;
      case link::StartLedger::Verdict::fresh:
        execute(*start, process);
    }
    end.connection.note(request.id, link::encode(link::Started{process, 1}));
    end.answers[request.id] = {process, start->stream_output, resumed(start->output_from)};
    pump(key);
  }

  void execute(const link::Start& start, const std::string& process) {
    ++truth_.executions[start.start_id];
    Process& made = processes_[process];
    made.who = std::hash<std::string>{}(start.start_id);
    made.out = number(start.env.get().at(0));
    made.reads_input = start.stdin_mode == link::StdinMode::stream;
    made.start_id = start.start_id;
  }

  static std::uint64_t number(std::string_view text) {
    std::uint64_t value = 0;
    text.remove_prefix(text.find('=') + 1);
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  std::uint64_t resumed(std::uint64_t cursor) const {
    return cursor + (mutation_ == Mutation::skips_a_byte && cursor > 0 ? 1 : 0);
  }

  bool exists(End& end, link::ExchangeId id, const std::string& process) {
    if (processes_.contains(process)) return true;
    end.connection.respond(id, fail(ErrorKind::not_found, "no process " + process));
    return false;
  }

  void write(End& end, const link::Request& request) {
    const link::Write write = *link::decode<link::Write>(request.body);
    if (!exists(end, request.id, write.process)) return;
    Process& process = processes_.at(write.process);
    apply(process, write.from, write.data);
    if (!write.stream) {
      process.input_closed |= write.end;
      end.connection.respond(
          request.id, link::encode(link::WriteReport{process.applied, process.input_closed}));
      return;
    }
    end.answers[request.id] = {
        .process = write.process, .is_upload = true, .closes_input = write.end};
    grant_input(end, request.id, process);
  }

  // Input at `offset`, of which the beginning may have been applied before.
  void apply(Process& process, std::uint64_t offset, std::string_view bytes) {
    if (mutation_ != Mutation::applies_twice) {
      truth_.check(offset <= process.applied, "input has a hole");
      bytes.remove_prefix(std::min<std::uint64_t>(process.applied - offset, bytes.size()));
    }
    truth_.check(bytes == bytes_at(process.who, process.applied, bytes.size()),
                 "input was applied twice or in the wrong order");
    process.applied += bytes.size();
  }

  void grant_input(End& end, link::ExchangeId id, const Process& process) {
    end.connection.grant(id, process.applied, process.applied + kInputWindow);
  }

  void on(link::ConnectionKey, End& end, link::Data& data) {
    const auto it = end.answers.find(data.id);
    if (it == end.answers.end()) return;
    Process& process = processes_.at(it->second.process);
    apply(process, data.offset, data.bytes);
    grant_input(end, data.id, process);
  }

  void on(link::ConnectionKey, End& end, link::DataEnd& data_end) {
    const auto it = end.answers.find(data_end.id);
    if (it == end.answers.end()) return;
    Process& process = processes_.at(it->second.process);
    truth_.check(data_end.offset == process.applied || process.input_closed,
                 "the end of input came at the wrong place");
    process.input_closed |= it->second.closes_input;
    end.connection.respond(data_end.id, link::encode(link::WriteReport{process.applied, true}));
    end.answers.erase(it);
  }

  void on(link::ConnectionKey key, End&, link::Writable&) { pump(key); }
  void on(link::ConnectionKey, End& end, link::Cancelled& cancelled) {
    end.answers.erase(cancelled.id);
  }
  void on(link::ConnectionKey, End& end, link::Closed& closed) {
    truth_.check(closed.by_peer, "the client broke the protocol: " + closed.error.message());
    end.answers.clear();
  }
  template <class Other>
  void on(link::ConnectionKey, End&, Other&) {}

  void pump(link::ConnectionKey key) {
    End& end = ends_.at(key);
    for (auto it = end.answers.begin(); it != end.answers.end();) {
      it = !it->second.is_upload && pump_one(end, it->first, it->second) ? end.answers.erase(it)
                                                                         : std::next(it);
    }
  }

  // Sends what may be sent. True when the answer is complete.
  bool pump_one(End& end, link::ExchangeId id, Answer& answer) {
    const Process& process = processes_.at(answer.process);
    if (answer.streams) {
      while (answer.cursor < process.printed) {
        const std::uint64_t size =
            std::min(end.connection.sendable(id, answer.cursor), process.printed - answer.cursor);
        if (size == 0) return false;
        if (mutation_ == Mutation::starves_readers && answer.cursor > 20) return false;
        end.connection.send_data(id, answer.cursor, bytes_at(process.who, answer.cursor, size));
        answer.cursor += size;
      }
    }
    if (!process.ended()) return false;
    if (answer.streams && !std::exchange(answer.end_sent, true)) {
      end.connection.end_data(id, answer.cursor);
    }
    registry_.starts().finished(process.start_id);
    end.connection.respond(
        id, link::encode(link::ExitReport{.process = answer.process, .total = process.out}));
    return true;
  }

  static constexpr std::uint64_t kInputWindow = 48;

  std::string instance_;
  Mutation mutation_;
  link::LinkLimits limits_;
  Truth& truth_;
  link::LinkRegistry registry_;
  std::map<std::string, Process> processes_;
  std::map<link::ConnectionKey, End> ends_;
};

}  // namespace talaria::test::simulator
