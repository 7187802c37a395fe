#include "runner/serve.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/version.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "os/own_environment.h"
#include "os/own_program.h"
#include "os/random.h"
#include "os/spawn.h"
#include "rendezvous/serve_line.h"
#include "runner/runner_link.h"
#include "runner/supervisor.h"

namespace talaria {
namespace {

constexpr int kReadyFd = 3;
constexpr auto kShutdownPatience = std::chrono::seconds(2);
constexpr auto kAcceptPause = std::chrono::milliseconds(100);
constexpr auto kOldSpill = std::chrono::hours(24);

using Socket = asio::local::stream_protocol::socket;
using Acceptor = asio::local::stream_protocol::acceptor;

void say(int fd, const std::string& line) { (void)write_all(fd, line + "\n"); }

Result<ServeArguments> parse(int argc, char** argv) {
  if (argc != 4) return fail(ErrorKind::bad_request, "usage: talaria-runner serve DIR SECONDS");
  return parse_serve_arguments(argv[2], argv[3]);
}

// What an earlier runner left: texts for shells that are gone, a state it was killed over while
// writing it, and output nobody came to read.
void clean_up(const std::string& directory) {
  std::error_code ignored;
  std::filesystem::remove_all(directory + "/prelude", ignored);
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/sessions", ignored)) {
    if (entry.path().extension() == ".new") std::filesystem::remove(entry.path(), ignored);
  }
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/spill", ignored)) {
    const auto written = entry.last_write_time(ignored);
    if (!ignored && now - written > kOldSpill) std::filesystem::remove(entry.path(), ignored);
  }
}

// Many commands mean many descriptors: take all the kernel allows for us. Returns the limit before,
// which the reapers put back for what they start.
std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const std::uint64_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return before;
}

void leave_the_caller(const RunnerPlace& place) {
  (void)!::chdir("/");
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGHUP, SIG_IGN);
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  ::signal(SIGCHLD, SIG_IGN);  // reapers report on their channels; none shall stay a zombie
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_NAME, "talaria-runner");
  if (const auto log = open_file(place.log(), O_WRONLY | O_CREAT | O_APPEND, 0600)) {
    ::dup2(log->get(), STDERR_FILENO);
  }
}

class Server {
 public:
  Server(asio::io_context& loop, Supervisor& supervisor, Acceptor acceptor)
      : supervisor_(supervisor), acceptor_(std::move(acceptor)), signals_(loop, SIGTERM) {
    signals_.async_wait([this](boost::system::error_code error, int) {
      if (!error) (void)supervisor_.stop(true);
    });
    spawn(loop.get_executor(), accept());
  }

  void close() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    signals_.cancel(ignored);
    for (const auto& [key, weak] : links_) {
      if (const auto link = weak.lock()) link->close(CloseReason::shutdown, "the runner ends");
    }
  }

 private:
  Task<void> accept() {
    for (;;) {
      auto [error, socket] = co_await acceptor_.async_accept(as_values);
      if (error == asio::error::operation_aborted) co_return;
      if (error) {  // no descriptor left, most likely: others must end first
        asio::steady_timer pause(acceptor_.get_executor(), kAcceptPause);
        co_await pause.async_wait(as_values);
        continue;
      }
      const ConnectionKey key = ++connections_;
      const auto link = std::make_shared<RunnerLink>(supervisor_, std::move(socket), key,
                                                     [this](ConnectionKey other) { close(other); });
      links_[key] = link;
      std::erase_if(links_, [](const auto& entry) { return entry.second.expired(); });
      spawn(acceptor_.get_executor(), link->serve());
    }
  }

  void close(ConnectionKey key) {
    const auto found = links_.find(key);
    if (found == links_.end()) return;
    if (const auto link = found->second.lock()) {
      link->close(CloseReason::superseded, "the link has a newer connection");
    }
  }

  Supervisor& supervisor_;
  Acceptor acceptor_;
  asio::signal_set signals_;
  ConnectionKey connections_ = 0;
  std::map<ConnectionKey, std::weak_ptr<RunnerLink>> links_;
};

Result<Acceptor> listen(asio::io_context& loop, const std::string& path) {
  ::unlink(path.c_str());  // we hold the lock: whoever made it is gone
  boost::system::error_code error;
  Acceptor acceptor(loop);
  acceptor.open(asio::local::stream_protocol(), error);
  if (!error) acceptor.bind(asio::local::stream_protocol::endpoint(path), error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return fail(ErrorKind::system, "listen on " + path + ": " + error.message());
  return acceptor;
}

Result<void> supervise(const ServeArguments& arguments, int ready) {
  const RunnerPlace& place = arguments.place;
  const std::string& directory = place.directory;
  for (const char* part : {"", "/sessions", "/spill"}) {
    if (const auto made = make_private_directory(directory + part); !made) return made;
  }
  const auto lock = try_lock_file(place.lock());
  if (!lock) return fail(lock.error());
  if (!lock->has_value()) return fail(ErrorKind::unavailable, taken_line(directory));
  clean_up(directory);
  leave_the_caller(place);

  auto nursery = Nursery::start();  // before anything else is in this process
  if (!nursery) return fail(nursery.error());
  auto host =
      probe_shell_host(std::make_shared<Nursery>(std::move(*nursery)), directory + "/prelude");
  if (!host) return fail(host.error());
  host->soft_descriptors = raise_descriptor_limit();
  asio::io_context loop(1);
  const std::string instance = random_hex(16);
  SupervisorOptions options{
      .directory = directory, .instance = instance, .lifetime = arguments.lifetime};
  for (const std::string_view entry : own_environment()) {
    if (!entry.starts_with("TALARIA_")) options.environment.emplace_back(entry);
  }
  Supervisor supervisor(loop, std::move(*host), std::move(options));
  auto acceptor = listen(loop, place.socket());
  if (!acceptor) return fail(acceptor.error());
  Server server(loop, supervisor, std::move(*acceptor));
  const auto identified =
      replace_file(place.identity(), std::to_string(::getpid()) + "\n" + instance + "\n" +
                                         std::string(kVersion) + "\n");
  if (!identified) return identified;
  say(ready, ready_line(instance));
  ::close(ready);
  loop.run();
  ::unlink(place.socket().c_str());
  // Everything that waits is told to stop and runs to its end while what it refers to is still
  // there.
  server.close();
  supervisor.shut_down();
  loop.restart();
  loop.run_for(kShutdownPatience);
  return {};
}

}  // namespace

Result<ServeArguments> parse_serve_arguments(const char* directory, const char* seconds) {
  long number = 0;
  const std::string_view text(seconds);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) {
    return fail(ErrorKind::bad_request,
                std::string("lifetime: not a number of seconds: ") + seconds);
  }
  return ServeArguments{{directory}, std::chrono::seconds(number)};
}

int supervise_main(int argc, char** argv) {
  const auto arguments = parse(argc, argv);
  const Result<void> done = arguments ? supervise(*arguments, kReadyFd) : fail(arguments.error());
  if (done) return 0;
  say(kReadyFd, done.error().message());
  return 1;
}

int serve_main(int argc, char** argv) {
  const auto arguments = parse(argc, argv);
  if (!arguments) {
    say(STDOUT_FILENO, arguments.error().message());
    return 2;
  }
  // The runner itself says "ready" on our standard output, and is no child of our caller's. We stay
  // until it has said something, so that our exit status means what it should.
  auto said = make_pipe();
  if (!said) return 1;
  const std::string program = own_program();
  const SpawnSpec spec{.path = program.c_str(),
                       .argv = {"talaria-runner", "supervise", argv[2], argv[3]},
                       .env = own_environment(),
                       .fds = {-1, -1, -1, said->writer.get()}};
  const auto pid = spawn_process(spec);
  if (!pid) {
    say(STDOUT_FILENO, pid.error().message());
    return 1;
  }
  said->writer.reset();
  const std::string line = read_line(said->reader.get());
  say(STDOUT_FILENO, line.empty() ? program + " ended without a word" : line);
  return read_serve_line(line) == Served::ready ? 0 : 1;
}

}  // namespace talaria
