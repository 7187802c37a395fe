#include "runner/nursery.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_reader.hpp>

#include "os/cgroup.h"
#include "os/channel.h"
#include "os/file.h"
#include "os/fork.h"
#include "os/proc.h"
#include "os/random.h"
#include "os/signal.h"
#include "runner/limits.h"

namespace talaria {
namespace {

constexpr std::size_t kInlineSpec = 64 * 1024;  // larger ones go in a memory file
constexpr std::size_t kFreeGroups = 16;
constexpr int kDyingMs = 5;
constexpr int kLastLooks = 400;

enum class Field : protozero::pbf_tag_type {
  path = 1,
  argument = 2,
  environment = 3,
  cwd = 4,
  cgroup = 5,
  descriptors = 6,
  opens_memory = 7,
};

std::string encode_spec(const ReaperSpec& spec) {
  std::string bytes;
  protozero::pbf_builder<Field> writer(bytes);
  writer.add_string(Field::path, spec.path);
  for (const std::string& argument : spec.argv) writer.add_bytes(Field::argument, argument);
  writer.add_bytes(Field::environment, spec.env);
  writer.add_string(Field::cwd, spec.cwd);
  writer.add_string(Field::cgroup, spec.cgroup);
  writer.add_uint64(Field::descriptors, spec.descriptors);
  writer.add_bool(Field::opens_memory, spec.opens_memory);
  return bytes;
}

// Both ends are of one program: what does not parse is a bug, and an exception.
ReaperSpec decode_spec(std::string_view bytes) {
  ReaperSpec spec;
  protozero::pbf_reader message(bytes.data(), bytes.size());
  while (message.next()) {
    switch (static_cast<Field>(message.tag())) {
      case Field::path:
        spec.path = message.get_string();
        break;
      case Field::argument:
        spec.argv.push_back(message.get_string());
        break;
      case Field::environment:
        spec.env = message.get_string();
        break;
      case Field::cwd:
        spec.cwd = message.get_string();
        break;
      case Field::cgroup:
        spec.cgroup = message.get_string();
        break;
      case Field::descriptors:
        spec.descriptors = message.get_uint64();
        break;
      case Field::opens_memory:
        spec.opens_memory = message.get_uint64() != 0;
        break;
      default:
        message.skip();
    }
  }
  return spec;
}

// What comes with a request: the channel, the program's output, then its input if it has one, then
// the spec if it was too long. The first byte says which of the last two are there.
constexpr std::byte kHasInput{1};
constexpr std::byte kSpecInFile{2};

struct Birth {
  ReaperSpec spec;
  ReaperEnds ends;
};

Result<Birth> read_request(std::span<const std::byte> message, Received& received) {
  if (received.fds_lost) return fail(Error::from_errno("receive descriptors", EMFILE));
  std::vector<UniqueFd>& fds = received.fds;
  const std::byte flags = message[0];
  Birth birth{.ends = {.output = std::move(fds.at(1)), .channel = std::move(fds.at(0))}};
  std::size_t next = 2;
  if ((flags & kHasInput) != std::byte{0}) birth.ends.input = std::move(fds.at(next++));
  std::string bytes(reinterpret_cast<const char*>(message.data()) + 1, message.size() - 1);
  if ((flags & kSpecInFile) != std::byte{0}) {
    auto content = read_whole(fds.at(next).get(), kLargestSpec);
    if (!content) return fail(content.error());
    bytes = std::move(*content);
  }
  birth.spec = decode_spec(bytes);
  return birth;
}

// To the runner, in the place of a reaper that could not be made.
void report_failure(const UniqueFd& channel, const Error& error) {
  const FromReaper failed{.report = ReaperReport::failed, .status = error.code()};
  (void)send_message(channel.get(), std::as_bytes(std::span(&failed, 1)));
}

// The cgroups reapers work in. One that is empty again serves the next: making and removing one
// costs as much as a fork.
class Cgroups {
 public:
  ~Cgroups() {
    for (const std::string& group : free_) remove_cgroup(group);
    // Reapers of a nursery before us end now, too; nobody else clears up after them.
    for (int look = 0; look < kLastLooks && !parent_.empty() && remove_stale(); ++look) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kDyingMs));
    }
  }

  // A group of its own below `parent`; empty if none can be made.
  std::string acquire(const std::string& parent) {
    if (std::exchange(parent_, parent).empty()) remove_stale();
    if (!free_.empty()) {
      std::string group = std::move(free_.back());
      free_.pop_back();
      return group;
    }
    std::string group =
        parent + "/talaria-" + std::to_string(::getpid()) + "-" + mark_ + std::to_string(++made_);
    return make_cgroup(group) ? group : std::string();
  }

  // Its reaper has ended. If it was killed, others may still be in there: they end, too.
  void release(std::string group) {
    if (group.empty()) return;
    if (is_populated(group)) {
      (void)kill_cgroup(group);
      dying_.push_back(std::move(group));
    } else if (free_.size() < kFreeGroups) {
      free_.push_back(std::move(group));
    } else {
      remove_cgroup(group);
    }
  }

  // True while some group is not empty although it should be.
  bool clear_dying() {
    std::erase_if(dying_, [](const std::string& group) {
      (void)kill_cgroup(group);
      return remove_cgroup(group);
    });
    return !dying_.empty();
  }

 private:
  // What nurseries left that were killed: groups that name a process which is gone. True if some
  // are still in use.
  bool remove_stale() const {
    bool left = false;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(parent_, ignored)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("talaria-")) continue;
      const pid_t maker = std::atoi(name.c_str() + sizeof "talaria");
      const bool stale = maker > 0 && why_not_signalled(maker) == ESRCH;
      if (stale && !remove_cgroup(entry.path())) left = true;
    }
    return left;
  }

  std::string parent_;

  std::vector<std::string> free_;
  std::vector<std::string> dying_;
  // Others with our pid, in other pid namespaces, may share the hierarchy.
  const std::string mark_ = random_hex(4) + "-";
  std::uint64_t made_ = 0;
};

// The loop of the nursery.
class NurseryLoop {
 public:
  explicit NurseryLoop(UniqueFd channel) : channel_(std::move(channel)) {
    ::prctl(PR_SET_NAME, "talaria-nursery");
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_IGN);
    ::signal(SIGCHLD, SIG_DFL);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child, nullptr);
    signals_.reset(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  // Until the runner is gone and the last reaper with it.
  void run() {
    bool dying = false;
    while (channel_ || !reapers_.empty() || dying) {
      std::array<pollfd, 2> events{pollfd{signals_.get(), POLLIN, 0},
                                   pollfd{channel_ ? channel_.get() : -1, POLLIN, 0}};
      ::poll(events.data(), events.size(), dying ? kDyingMs : -1);
      if (events[1].revents != 0) take_request();
      if (events[0].revents != 0) collect();
      dying = cgroups_.clear_dying();
    }
  }

 private:
  void take_request() {
    auto received = receive_message(channel_.get(), buffer_);
    if (received && !received->has_value()) return;
    if (!received || (*received)->size == 0) return runner_gone();
    Received& request = **received;
    auto birth = read_request(std::span(buffer_).first(request.size), request);
    if (!birth) {  // without the channel nobody can be told; the runner sees it close
      if (!request.fds.empty()) report_failure(request.fds[0], birth.error());
      return;
    }
    if (!birth->spec.cgroup.empty()) birth->spec.cgroup = cgroups_.acquire(birth->spec.cgroup);
    const auto child = fork_with_descriptors([&] {
      channel_.reset();
      signals_.reset();
      run_reaper(birth->spec, std::move(birth->ends));
    });
    if (!child) {
      report_failure(birth->ends.channel, child.error());
      cgroups_.release(std::move(birth->spec.cgroup));
      return;
    }
    reapers_.emplace(*child, std::move(birth->spec.cgroup));
  }

  // The reapers notice by themselves, unless what they are just starting was stopped.
  void runner_gone() {
    channel_.reset();
    for (const pid_t pid : descendants(::getpid())) signal_descendant(::getpid(), pid, SIGCONT);
  }

  // Reapers that ended, and those that a command has stopped: they go on at once.
  void collect() {
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) > 0) {
    }
    for (;;) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED);
      if (pid <= 0) return;
      if (WIFSTOPPED(status)) {
        signal_child(pid, SIGCONT);
        continue;
      }
      const auto found = reapers_.find(pid);
      if (found == reapers_.end()) continue;
      cgroups_.release(std::move(found->second));
      reapers_.erase(found);
    }
  }

  UniqueFd channel_;
  UniqueFd signals_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(kInlineSpec + 1);
  std::map<pid_t, std::string> reapers_;  // to their cgroups
  Cgroups cgroups_;
};

}  // namespace

Result<Nursery> Nursery::start() {
  auto channel = make_channel();
  if (!channel) return fail(channel.error());
  // Nothing of the runner's may stay open there, or in a reaper: its lock, its links.
  const int kept = channel->theirs.get();
  const auto pid = fork_process(
      [&] {
        NurseryLoop loop(std::move(channel->theirs));
        loop.run();
      },
      kept);
  if (!pid) return fail(pid.error());
  const timeval patience{.tv_sec = 2};  // one that is stopped must not stop the runner for ever
  ::setsockopt(channel->ours.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  return Nursery(std::move(channel->ours), *pid);
}

Result<void> Nursery::spawn(const ReaperSpec& spec, int input, int output, int channel) {
  auto sent = send(spec, input, output, channel);
  if (sent) signal_child(pid_, SIGCONT);  // in case somebody has stopped it
  const bool gone = !sent && (sent.error().code() == EPIPE || sent.error().code() == ECONNRESET ||
                              sent.error().code() == EAGAIN);
  if (!gone) return sent;
  auto again = start();  // somebody killed it; we are still of one thread, so a fork is safe
  if (!again) return fail(again.error());
  *this = std::move(*again);
  return send(spec, input, output, channel);
}

Result<void> Nursery::send(const ReaperSpec& spec, int input, int output, int channel) const {
  std::string bytes = encode_spec(spec);
  std::byte flags{0};
  if (input >= 0) flags |= kHasInput;
  UniqueFd file;
  if (bytes.size() > kInlineSpec) {
    auto made = make_memory_file("talaria-spec", bytes);
    if (!made) return fail(made.error());
    file = std::move(*made);
    flags |= kSpecInFile;
    bytes.clear();
  }
  bytes.insert(bytes.begin(), static_cast<char>(flags));
  const auto message = std::as_bytes(std::span(bytes));
  const int channel_fd = channel_.get();
  // Waits while the nursery is behind; that is no longer than starting the programs takes.
  if (input >= 0 && file) {
    return send_message(channel_fd, message, {channel, output, input, file.get()}, Waiting::yes);
  }
  if (input >= 0) return send_message(channel_fd, message, {channel, output, input}, Waiting::yes);
  if (file) return send_message(channel_fd, message, {channel, output, file.get()}, Waiting::yes);
  return send_message(channel_fd, message, {channel, output}, Waiting::yes);
}

}  // namespace talaria
