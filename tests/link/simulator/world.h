// The world between a model client and a model runner: streams that deliver in pieces, late, cut or
// twice, and processes that die. Everything that happens is decided by a seed, so a failure can be
// run again. run() lets faults happen, then lets the world be kind and checks that everything comes
// to its end.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "link/simulator/model_client.h"
#include "link/simulator/model_runner.h"
#include "link/simulator/pattern.h"

namespace talaria::test::simulator {

struct WorldOptions {
  std::uint64_t seed = 1;
  int cuts = 0;      // connections broken
  int abandons = 0;  // the client turns away, but what it sent arrives later
  int replays = 0;   // what was sent over a connection arrives a second time
  int runner_kills = 0;
  int client_kills = 0;
  bool eager = false;
  bool orderly = false;  // deliver everything at once and in turn: for exhaustive cuts
  link::LinkLimits limits;
  std::size_t max_starts =
      link::kMaxLedgerEntries;  // if few, a start may be refused, but never run twice
  Mutation mutation = Mutation::none;
};

// Something that happens once, after `bytes` have been delivered in one direction.
enum class Blow { cut, kill_runner, kill_client };
struct PlannedBlow {
  Blow blow;
  bool upstream;
  std::uint64_t bytes;
};

class World {
 public:
  World(WorldOptions options, std::vector<Job> jobs)
      : options_(options), dice_(options.seed), jobs_(std::move(jobs)) {
    new_runner();
    new_client();
  }

  void plan(PlannedBlow blow) { planned_ = blow; }

  // Runs until every job is settled or nothing moves. Returns the properties that broke.
  std::vector<std::string> run() {
    for (int step = 0; step < 20000 && faults_left() && !all_settled(); ++step) {
      if (dice_.one_in(40)) fault();
      random_step();
      check_bounds();
    }
    int idle = 0;
    for (int step = 0; step < 20000 && !all_settled() && idle < 4; ++step) {
      idle = kind_step() ? 0 : idle + 1;
      check_bounds();
    }
    check_end();
    return truth_.faults;
  }

  // The same over a carrier that can only call and wait for the answer: each connection is a batch
  // of frames up, then a batch down.
  std::vector<std::string> run_in_batches() {
    for (int batch = 0; batch < 500 && !all_settled(); ++batch) one_batch();
    check_end();
    return truth_.faults;
  }

  std::uint64_t delivered_up() const { return delivered_up_; }
  std::uint64_t delivered_down() const { return delivered_down_; }
  const std::vector<std::uint64_t>& frame_ends(bool upstream) const {
    return upstream ? frame_ends_up_ : frame_ends_down_;
  }
  const std::vector<Job>& jobs() const { return jobs_; }
  const Truth& truth() const { return truth_; }

 private:
  // One byte stream. The client's end is at most one of them: current_.
  struct Wire {
    link::ConnectionKey key = 0;
    std::string up;        // on its way to the runner
    std::string down;      // on its way to the client
    std::string sent;      // all the client ever wrote, for a replay
    bool opened = false;   // the runner knows of it
    bool up_ends = false;  // no more will come up
    bool client_there = true;
  };

  void new_runner() {
    runner_ = std::make_unique<ModelRunner>(++runners_, options_.mutation, options_.limits,
                                            options_.max_starts, truth_);
  }

  void new_client() {
    client_ =
        std::make_unique<ModelClient>(++clients_, options_.limits, options_.eager, jobs_, truth_);
    client_->begin();
  }

  bool faults_left() const {
    return options_.cuts + options_.abandons + options_.replays + options_.runner_kills +
               options_.client_kills >
           0;
  }

  bool all_settled() const { return std::ranges::all_of(jobs_, &Job::settled); }

  // --- what moves bytes ---

  bool connect() {
    if (current_ != nullptr || !client_->wants_connection()) return false;
    wires_.push_back(std::make_unique<Wire>());
    current_ = wires_.back().get();
    current_->key = ++keys_;
    client_->connected();
    client_->link().connect();
    return true;
  }

  bool client_writes(std::size_t most) {
    if (current_ == nullptr) return false;
    const std::string_view bytes = client_->link().output().substr(0, most);
    current_->up += bytes;
    current_->sent += bytes;
    const bool moved = !bytes.empty();
    client_->link().wrote(bytes.size());
    client_->drain();
    if (current_ != nullptr && client_->wants_connection()) leave_wire();
    return moved;
  }

  bool deliver_up(Wire& wire, std::size_t most) {
    if (!wire.opened) {
      wire.opened = true;
      runner_->open(wire.key);
    }
    if (wire.up.empty()) {
      if (wire.up_ends) runner_->close(wire.key);
      return std::exchange(wire.up_ends, false);
    }
    const std::uint64_t size = up_to_blow(std::min(most, wire.up.size()), true, delivered_up_);
    const std::string bytes = wire.up.substr(0, size);
    wire.up.erase(0, size);
    note_frames(bytes, tap_up_, frame_ends_up_, delivered_up_);
    delivered_up_ += size;
    runner_->receive(wire.key, bytes);
    strike_if_due(true, delivered_up_);
    return true;
  }

  bool runner_writes(Wire& wire, std::size_t most) {
    const std::string bytes = runner_->output(wire.key, most);
    if (runner_->wants_close(wire.key)) runner_->close(wire.key);
    if (wire.client_there) wire.down += bytes;
    return !bytes.empty();
  }

  bool deliver_down(std::size_t most) {
    if (current_ == nullptr) return false;
    Wire& wire = *current_;
    if (wire.down.empty()) {
      if (!wire.opened || runner_->has(wire.key)) return false;
      client_->link().disconnected(Error(ErrorKind::unavailable, "end of file"));
      client_->drain();
      leave_wire();
      return true;
    }
    const std::uint64_t size = up_to_blow(std::min(most, wire.down.size()), false, delivered_down_);
    const std::string bytes = wire.down.substr(0, size);
    wire.down.erase(0, size);
    note_frames(bytes, tap_down_, frame_ends_down_, delivered_down_);
    delivered_down_ += size;
    client_->link().receive(bytes);
    client_->drain();
    if (client_->wants_connection()) leave_wire();
    strike_if_due(false, delivered_down_);
    return true;
  }

  void leave_wire() {
    if (current_ == nullptr) return;
    current_->client_there = false;
    current_->up_ends = true;
    current_->down.clear();
    current_ = nullptr;
  }

  // --- steps ---

  void random_step() {
    const std::size_t most = dice_.one_in(4) ? 1 + dice_.below(12) : 1 + dice_.below(200000);
    switch (dice_.below(7)) {
      case 0:
        connect();
        break;
      case 1:
        client_writes(most);
        break;
      case 2:
        if (!wires_.empty()) deliver_up(*wires_[dice_.below(wires_.size())], most);
        break;
      case 3:
        if (!wires_.empty()) runner_writes(*wires_[dice_.below(wires_.size())], most);
        break;
      case 4:
        deliver_down(most);
        break;
      case 5:
        runner_->work(dice_.below(40));
        break;
      default:
        if (dice_.one_in(3)) client_->consume();
    }
  }

  // Everything moves. False: nothing had anything to do.
  bool kind_step() {
    constexpr std::size_t kAll = 1 << 20;
    bool moved = connect();
    moved |= client_writes(kAll);
    for (std::size_t i = 0; i < wires_.size(); ++i) moved |= deliver_up(*wires_[i], kAll);
    moved |= runner_->work(options_.orderly ? 7 : kAll);
    for (std::size_t i = 0; i < wires_.size(); ++i) moved |= runner_writes(*wires_[i], kAll);
    moved |= deliver_down(kAll);
    moved |= client_->consume();
    return moved;
  }

  void one_batch() {
    const link::ConnectionKey key = ++keys_;
    link::LinkClient& link = client_->link();
    link.connect(1000);
    runner_->open(key);
    for (std::string up; !(up = link.output()).empty(); link.wrote(up.size())) {
      runner_->receive(key, up);
    }
    runner_->work(50);
    std::string down;
    for (std::string more; !(more = runner_->output(key, SIZE_MAX)).empty();) down += more;
    runner_->close(key);
    link.receive(down);
    client_->drain();
    link.disconnected(Error(ErrorKind::unavailable, "the batch is over"));
    client_->drain();
  }

  // --- what goes wrong ---

  void fault() {
    const auto spend = [](int& left) { return left > 0 && std::exchange(left, left - 1) > 0; };
    switch (dice_.below(5)) {
      case 0:
        if (current_ != nullptr && spend(options_.cuts)) cut();
        break;
      case 1:
        if (current_ != nullptr && spend(options_.abandons)) abandon();
        break;
      case 2:
        if (!wires_.empty() && spend(options_.replays)) replay();
        break;
      case 3:
        if (spend(options_.runner_kills)) kill_runner();
        break;
      default:
        if (spend(options_.client_kills)) kill_client();
    }
  }

  // What was on its way is lost from some byte on, both ways.
  void cut() {
    if (current_ == nullptr) return;
    current_->up.resize(dice_.below(current_->up.size() + 1));
    abandon();
  }

  void abandon() {
    if (current_ == nullptr) return;
    client_->link().disconnected(Error(ErrorKind::unavailable, "cut"));
    client_->drain();
    leave_wire();
  }

  void replay() {
    const Wire& old = *wires_[dice_.below(wires_.size())];
    auto again = std::make_unique<Wire>();
    again->key = ++keys_;
    again->up = old.sent.substr(0, dice_.below(old.sent.size() + 1));
    again->up_ends = true;
    again->client_there = false;
    wires_.push_back(std::move(again));
  }

  void kill_runner() {
    runner_died_ = true;
    // What never arrived may still reach the next runner; what did is gone with the old one.
    for (auto& wire : wires_) {
      if (wire->opened) wire->up.clear();
      if (wire->opened && !wire->down.empty()) {
        wire->down.resize(dice_.below(wire->down.size() + 1));
      }
    }
    new_runner();
  }

  void kill_client() {
    if (current_ != nullptr && dice_.one_in(2)) current_->up.clear();
    leave_wire();
    for (Job& job : jobs_) {
      if (!job.settled() && job.process.empty()) job.abandoned = true;
    }
    new_client();
  }

  std::uint64_t up_to_blow(std::uint64_t size, bool upstream, std::uint64_t delivered) const {
    if (!planned_ || planned_->upstream != upstream || planned_->bytes <= delivered) return size;
    return std::min(size, planned_->bytes - delivered);
  }

  void strike_if_due(bool upstream, std::uint64_t delivered) {
    if (!planned_ || planned_->upstream != upstream || planned_->bytes != delivered) return;
    const Blow blow = planned_->blow;
    planned_.reset();
    if (blow == Blow::kill_runner) return kill_runner();
    if (blow == Blow::kill_client) return kill_client();
    if (current_ != nullptr) current_->up.clear();
    abandon();
  }

  static void note_frames(std::string_view bytes, link::FrameReader& tap,
                          std::vector<std::uint64_t>& ends, std::uint64_t delivered) {
    tap.feed(bytes);
    for (;;) {
      const auto frame = tap.next();
      if (!frame || !*frame) return;
      ends.push_back(delivered + bytes.size() - tap.buffered());
    }
  }

  // --- what must hold ---

  void check_bounds() {
    for (const link::ConnectionKey key : runner_->connections()) {
      truth_.check(runner_->held_bytes(key) <= link::kMaxQueuedData + link::kMaxQueuedMessages +
                                                   options_.limits.max_reassembly,
                   "the runner holds more than its bounds");
    }
  }

  void check_end() {
    for (const Job& job : jobs_) {
      const int runs = truth_.executions[job.start_id];
      truth_.check(runs <= 1, job.start_id + " ran " + std::to_string(runs) + " times");
      truth_.check(job.settled(), job.start_id + " never came to its end");
      if (!job.settled() || job.abandoned) continue;
      if (job.failure.empty()) {
        truth_.check(runs == 1, job.start_id + " ended well without having run");
        truth_.check(job.cursor == job.out, job.start_id + ": output is missing");
        continue;
      }
      const bool expected =
          (runner_died_ && (job.failure == "runner_lost" || job.failure == "not_found")) ||
          (options_.eager && job.failure == "runner_lost") ||
          (options_.max_starts < jobs_.size() && job.failure == "limit");
      truth_.check(expected, job.start_id + " failed: " + job.failure);
    }
  }

  WorldOptions options_;
  Dice dice_;
  Truth truth_;
  std::vector<Job> jobs_;
  std::unique_ptr<ModelRunner> runner_;
  std::unique_ptr<ModelClient> client_;
  std::vector<std::unique_ptr<Wire>> wires_;
  Wire* current_ = nullptr;
  std::uint64_t runners_ = 0;
  std::uint64_t clients_ = 0;
  link::ConnectionKey keys_ = 0;
  bool runner_died_ = false;

  std::optional<PlannedBlow> planned_;
  std::uint64_t delivered_up_ = 0;
  std::uint64_t delivered_down_ = 0;
  link::FrameReader tap_up_;
  link::FrameReader tap_down_;
  std::vector<std::uint64_t> frame_ends_up_;  // of an undisturbed, orderly run
  std::vector<std::uint64_t> frame_ends_down_;
};

}  // namespace talaria::test::simulator
