#include "environment/local/local_environment.h"

#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include <boost/asio/steady_timer.hpp>

#include "environment/link_environment.h"
#include "environment/runner_image.h"
#include "os/file.h"
#include "os/own_program.h"
#include "os/spawn.h"

extern char** environ;

namespace talaria {
namespace {

constexpr auto kStartPatience = std::chrono::seconds(10);
constexpr auto kStartPause = std::chrono::milliseconds(10);
constexpr std::size_t kLongestDirectory = 90;  // a socket's path has 108 bytes
constexpr unsigned long kNetworkFilesystems[] = {0x6969 /* nfs */, 0xff534d42 /* cifs */,
                                                 0xfe534d42 /* smb2 */, 0x0bd00bd0 /* lustre */};

bool is_local_filesystem(const std::string& path) {
  struct statfs info{};
  if (::statfs(path.c_str(), &info) != 0) return true;
  for (const unsigned long type : kNetworkFilesystems) {
    if (static_cast<unsigned long>(info.f_type) == type) return false;
  }
  return true;
}

// <home>/talaria/run/local, or, where a socket cannot be there, a private directory under /var/tmp
// that a pointer file in its place names.
Result<std::string> runner_directory(const std::string& home) {
  const std::string wanted = home + "/talaria/run/local";
  for (const char* part : {"/talaria", "/talaria/bin", "/talaria/run", "/talaria/run/local"}) {
    if (const auto made = make_private_directory(home + part); !made) return fail(made.error());
  }
  if (wanted.size() <= kLongestDirectory && is_local_filesystem(wanted)) return wanted;

  const std::string pointer = wanted + "/moved-to";
  if (auto moved = read_file(pointer, 4096)) {
    if (make_private_directory(*moved)) return *moved;
  }
  std::string pattern = "/var/tmp/talaria-" + std::to_string(::getuid()) + "-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) return fail(Error::from_errno("mkdtemp " + pattern));
  if (const auto written = replace_file(pointer, pattern); !written) return fail(written.error());
  return pattern;
}

// The runner outlives us and every command can read its parent's environment, so it gets nothing it
// does not need; commands get theirs with each call.
bool runner_needs(std::string_view entry) {
  const std::string_view name = entry.substr(0, entry.find('='));
  constexpr std::array<std::string_view, 9> kNeeded{
      "PATH", "HOME", "LANG", "TMPDIR", "USER", "LOGNAME", "SHELL", "TZ", kOwnProgramVariable};
  return std::ranges::find(kNeeded, name) != kNeeded.end() || name.starts_with("LC_") ||
         name.ends_with("SAN_OPTIONS");
}

class LocalRunner {
 public:
  LocalRunner(asio::any_io_executor executor, std::string home, std::string directory,
              std::chrono::seconds lifetime)
      : executor_(std::move(executor)),
        home_(std::move(home)),
        directory_(std::move(directory)),
        lifetime_(lifetime) {}

  // A runner that another controller has just started, or that is about to end, holds its lock but
  // does not answer: then we wait a little.
  Task<Result<ByteStream>> connect() {
    asio::steady_timer pause(executor_);
    const auto give_up_at = std::chrono::steady_clock::now() + kStartPatience;
    for (;;) {
      Result<ByteStream> stream = try_connect();
      if (stream) co_return stream;
      const Result<void> started = start();
      if (started) co_return try_connect();
      const bool busy = started.error().kind() == ErrorKind::timed_out;
      if (!busy || std::chrono::steady_clock::now() > give_up_at) co_return fail(started.error());
      pause.expires_after(kStartPause);
      co_await pause.async_wait(as_values);
    }
  }

 private:
  Result<ByteStream> try_connect() {
    const std::string path = directory_ + "/link-v" + std::to_string(kProtocolMajor) + ".sock";
    sockaddr_un address{.sun_family = AF_UNIX};
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) return fail(Error::from_errno("socket"));
    if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) {
      const int code = errno;
      return fail(ErrorKind::unavailable, "connect " + path + ": " + std::strerror(code));
    }
    set_nonblocking(socket.get());
    UniqueFd second(::fcntl(socket.get(), F_DUPFD_CLOEXEC, 0));
    if (!second) return fail(Error::from_errno("dup"));
    return ByteStream{.reader = {executor_, socket.release()},
                      .writer = {executor_, second.release()},
                      .keep = nullptr};
  }

  // Under a lock, so that of many controllers that find no runner one starts it.
  Result<void> start() {
    const auto lock = open_file(directory_ + "/start.lock", O_RDWR | O_CREAT, 0600);
    if (!lock) return fail(lock.error());
    while (::flock(lock->get(), LOCK_EX) < 0) {
      if (errno != EINTR) return fail(Error::from_errno("flock " + directory_ + "/start.lock"));
    }
    if (try_connect()) return {};
    utsname machine{};
    ::uname(&machine);
    const auto image = runner_image(machine.machine);
    if (!image) return fail(image.error());
    const auto program = install_runner(*image, home_ + "/talaria/bin");
    if (!program) return fail(program.error());
    return launch(*program);
  }

  Result<void> launch(const std::string& program) {
    auto answer = make_pipe();
    if (!answer) return fail(answer.error());
    const std::string seconds = std::to_string(lifetime_.count());
    SpawnSpec spec{.path = program.c_str(),
                   .argv = {"talaria-runner", "serve", directory_.c_str(), seconds.c_str()},
                   .fds = {-1, answer->writer.get(), -1}};
    for (char** entry = environ; *entry != nullptr; ++entry) {
      if (runner_needs(*entry)) spec.env.push_back(*entry);
    }
    const auto pid = spawn_process(spec);
    if (!pid) return fail(pid.error());
    answer->writer.reset();
    const std::string said = read_line(answer->reader.get());
    while (::waitpid(*pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (said.starts_with("ready ")) return {};
    if (said.starts_with("another runner")) return fail(ErrorKind::timed_out, said);
    return fail(ErrorKind::unavailable, "the runner did not start in " + directory_ + ": " +
                                            (said.empty() ? "it said nothing" : said) +
                                            " (see runner.log there)");
  }

  asio::any_io_executor executor_;
  std::string home_;
  std::string directory_;
  std::chrono::seconds lifetime_;
};

}  // namespace

Result<std::unique_ptr<Environment>> make_local_environment(const asio::any_io_executor& executor,
                                                            const LocalOptions& options) {
  auto directory = runner_directory(options.home);
  if (!directory) return fail(directory.error());
  const auto runner = std::make_shared<LocalRunner>(executor, options.home, std::move(*directory),
                                                    options.lifetime);
  LinkDriver::Connect connect = [runner] { return runner->connect(); };
  return std::make_unique<LinkEnvironment>(executor, LinkEnvironment::Options{.target = "local"},
                                           std::move(connect));
}

}  // namespace talaria
