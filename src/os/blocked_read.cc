#include "os/blocked_read.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdint>
#include <string>
#include <string_view>

#include "os/file.h"
#include "os/proc.h"

namespace talaria::os {
namespace {

// What is looked at of one process: enough for every program a person types to, and a bound on what
// a strange one can cost.
constexpr std::size_t kMostThreads = 64;
constexpr std::size_t kMostPolled = 1024;
constexpr std::size_t kMostSelected = 65536;
constexpr std::size_t kMaxFdInfo = 1 << 20;

// "The terminal that controls me", whichever that is.
const dev_t kOwnTerminal = makedev(5, 0);

struct Call {
  long number = -1;
  std::array<std::uint64_t, 6> arguments{};
};

// One thread of a process.
class BlockedThread {
 public:
  BlockedThread(pid_t pid, pid_t thread)
      : pid_(pid), directory_("/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread)) {}

  bool waits_for(const InputId& input) const {
    const auto call = blocked_call();
    if (!call) return false;
    switch (call->number) {
      case SYS_read:
      case SYS_readv:
        return is_input(as_descriptor(call->arguments[0]), input);
#ifdef SYS_poll
      case SYS_poll:
#endif
      case SYS_ppoll:
        return polls(*call, input);
#ifdef SYS_select
      case SYS_select:
#endif
      case SYS_pselect6:
        return selects(*call, input);
#ifdef SYS_epoll_wait
      case SYS_epoll_wait:
#endif
      case SYS_epoll_pwait:
#ifdef SYS_epoll_pwait2
      case SYS_epoll_pwait2:
#endif
        return waits_in_epoll(as_descriptor(call->arguments[0]), input);
      default:
        return false;
    }
  }

 private:
  static int as_descriptor(std::uint64_t argument) {
    return argument <= INT_MAX ? static_cast<int>(argument) : -1;
  }

  // "NUMBER 0xARG ... 0xSP 0xPC"; a thread that runs has no numbers to show.
  std::optional<Call> blocked_call() const {
    const auto text = read_file(directory_ + "/syscall", kMaxFdInfo);
    if (!text) return std::nullopt;
    const char* at = text->data();
    const char* const end = at + text->size();
    Call call;
    const auto number = std::from_chars(at, end, call.number);
    if (number.ec != std::errc{} || call.number < 0) return std::nullopt;
    at = number.ptr;
    for (std::uint64_t& argument : call.arguments) {
      constexpr std::string_view kPrefix = " 0x";
      if (!std::string_view(at, end).starts_with(kPrefix)) return std::nullopt;
      const auto value = std::from_chars(at + kPrefix.size(), end, argument, 16);
      if (value.ec != std::errc{}) return std::nullopt;
      at = value.ptr;
    }
    return call;
  }

  bool is_input(int fd, const InputId& input) const {
    struct stat info{};
    const std::string path = directory_ + "/fd/" + std::to_string(fd);
    if (fd < 0 || ::stat(path.c_str(), &info) != 0) return false;
    if (FileId{info.st_dev, info.st_ino} == input.file) return true;
    if (input.terminal == 0 || !S_ISCHR(info.st_mode)) return false;
    if (info.st_rdev != kOwnTerminal) return info.st_rdev == input.terminal;
    const auto stat = read_process_stat(pid_);
    return stat && stat->terminal == input.terminal;
  }

  template <class Item>
  std::vector<Item> read_memory(std::uint64_t address, std::size_t count) const {
    std::vector<Item> items(count);
    const auto memory = open_file(directory_ + "/mem", O_RDONLY);
    if (!memory) return {};
    const ssize_t size =
        ::pread(memory->get(), items.data(), count * sizeof(Item), static_cast<off_t>(address));
    items.resize(size < 0 ? 0 : static_cast<std::size_t>(size) / sizeof(Item));
    return items;
  }

  bool polls(const Call& call, const InputId& input) const {
    const std::size_t count = std::min<std::uint64_t>(call.arguments[1], kMostPolled);
    const auto polled = read_memory<pollfd>(call.arguments[0], count);
    return std::ranges::any_of(polled, [&](const pollfd& entry) {
      return (entry.events & (POLLIN | POLLRDNORM)) != 0 && is_input(entry.fd, input);
    });
  }

  bool selects(const Call& call, const InputId& input) const {
    constexpr std::size_t kBits = sizeof(unsigned long) * CHAR_BIT;
    if (call.arguments[1] == 0) return false;
    const std::size_t count = std::min<std::uint64_t>(call.arguments[0], kMostSelected);
    const auto set = read_memory<unsigned long>(call.arguments[1], (count + kBits - 1) / kBits);
    for (std::size_t fd = 0; fd < count && fd / kBits < set.size(); ++fd) {
      const bool wanted = (set[fd / kBits] >> (fd % kBits) & 1) != 0;
      if (wanted && is_input(static_cast<int>(fd), input)) return true;
    }
    return false;
  }

  // Lines "tfd: FD events: HEX data: ...".
  bool waits_in_epoll(int fd, const InputId& input) const {
    const auto text = read_file(directory_ + "/fdinfo/" + std::to_string(fd), kMaxFdInfo);
    if (!text) return false;
    std::string_view rest = *text;
    std::size_t looks = 0;
    while (looks < kMostPolled) {
      const auto watched = number_behind(rest, "tfd:", 10);
      if (!watched) return false;
      const auto events = number_behind(rest, "events:", 16);
      ++looks;
      if (events && (*events & EPOLLIN) != 0 && is_input(as_descriptor(*watched), input)) {
        return true;
      }
    }
    return false;
  }

  // The number behind the next `label`; then `rest` is what follows it.
  static std::optional<std::uint64_t> number_behind(std::string_view& rest, std::string_view label,
                                                    int base) {
    const std::size_t found = rest.find(label);
    if (found == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(found + label.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number, base);
    if (error != std::errc{}) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return number;
  }

  pid_t pid_;
  std::string directory_;
};

}  // namespace

std::optional<InputId> input_id(int fd) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) return std::nullopt;
  return InputId{.file = {info.st_dev, info.st_ino},
                 .terminal = S_ISCHR(info.st_mode) ? info.st_rdev : 0};
}

bool is_blocked_reading(pid_t pid, const InputId& input) {
  std::vector<pid_t> threads = threads_of(pid);
  if (threads.size() > kMostThreads) threads.resize(kMostThreads);
  return std::ranges::any_of(
      threads, [&](pid_t thread) { return BlockedThread(pid, thread).waits_for(input); });
}

bool is_any_blocked_reading(const std::vector<pid_t>& pids, const InputId& input) {
  return std::ranges::any_of(pids, [&](pid_t pid) { return is_blocked_reading(pid, input); });
}

}  // namespace talaria::os
