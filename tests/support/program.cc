#include "support/program.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <set>
#include <stdexcept>

#include "os/file.h"
#include "os/spawn.h"

namespace talaria::test {
namespace {

using Clock = std::chrono::steady_clock;

std::set<pid_t>& owned() {
  static std::set<pid_t> pids;
  return pids;
}

os::Pipe pipe_or_throw() {
  auto pipe = os::make_pipe();
  if (!pipe) throw std::runtime_error(pipe.error().message());
  return std::move(*pipe);
}

}  // namespace

bool Program::owns(pid_t pid) { return owned().contains(pid); }

Program::Program(const ProgramSpec& spec) : read_output_(spec.read_output) {
  ::signal(SIGPIPE, SIG_IGN);
  os::Pipe in = pipe_or_throw();
  os::Pipe out = pipe_or_throw();
  os::Pipe err = pipe_or_throw();
  os::SpawnSpec spawn{.path = spec.argv.front().c_str(),
                      .fds = {in.reader.get(), out.writer.get(), err.writer.get()},
                      .cwd = spec.cwd.empty() ? nullptr : spec.cwd.c_str()};
  for (const std::string& word : spec.argv) spawn.argv.push_back(word.c_str());
  for (const std::string& entry : spec.env) spawn.env.push_back(entry.c_str());
  const auto pid = os::spawn_process(spawn);
  if (!pid) throw std::runtime_error(pid.error().message());
  pid_ = *pid;
  owned().insert(pid_);
  pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (spec.keep_stdin_open) in_ = std::move(in.writer);
  out_ = std::move(out.reader);
  err_ = std::move(err.reader);
  for (const os::UniqueFd* fd : {&in_, &out_, &err_}) {
    if (*fd) os::set_nonblocking(fd->get());
  }
}

Program::~Program() {
  if (status_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  owned().erase(pid_);
}

void Program::kill(int signal) const {
  if (!status_) ::kill(pid_, signal);
}

void Program::close_stdin() { in_.reset(); }

void Program::close_output() { out_.reset(); }

void Program::write(std::string_view bytes) {
  to_write_ = bytes;
  const auto until = Clock::now() + kPatience;
  while (!to_write_.empty() && in_ && running()) {
    if (Clock::now() >= until) throw std::runtime_error("the program does not read its input");
    step(until);
  }
  to_write_ = {};
}

bool Program::read_until(const std::function<bool()>& enough, std::chrono::milliseconds patience) {
  const auto until = Clock::now() + patience;
  while (!enough()) {
    if (!running() || Clock::now() >= until) return false;
    step(until);
  }
  return true;
}

bool Program::read_until_contains(std::string_view text, std::chrono::milliseconds patience) {
  return read_until([&] { return out_text_.contains(text); }, patience);
}

std::optional<ExitStatus> Program::wait(std::chrono::milliseconds patience) {
  const auto until = Clock::now() + patience;
  while (running() && Clock::now() < until) step(until);
  return status_;
}

// Waits until something can be read or written, or the program ends, and does it.
void Program::step(Clock::time_point until) {
  std::array<pollfd, 4> events{
      pollfd{read_output_ && out_ ? out_.get() : -1, POLLIN, 0},
      pollfd{err_ ? err_.get() : -1, POLLIN, 0},
      pollfd{!to_write_.empty() && in_ ? in_.get() : -1, POLLOUT, 0},
      pollfd{pidfd_.get(), POLLIN, 0},
  };
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  ::poll(events.data(), events.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
  if (events[0].revents != 0) read_some(out_, out_text_);
  if (events[1].revents != 0) read_some(err_, err_text_);
  if (events[2].revents != 0) {
    const ssize_t size = ::write(in_.get(), to_write_.data(), to_write_.size());
    if (size > 0) to_write_.remove_prefix(static_cast<std::size_t>(size));
    if (size < 0 && errno != EAGAIN && errno != EINTR) in_.reset();
  }
  if (events[3].revents != 0) reap();
}

void Program::read_some(os::UniqueFd& fd, std::string& text) {
  std::array<char, 65536> chunk;
  const ssize_t size = ::read(fd.get(), chunk.data(), chunk.size());
  if (size > 0) text.append(chunk.data(), static_cast<std::size_t>(size));
  if (size == 0) fd.reset();
}

void Program::reap() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  owned().erase(pid_);
  if (WIFSIGNALED(status)) {
    status_ = Signaled{WTERMSIG(status)};
  } else {
    status_ = Exited{WEXITSTATUS(status)};
  }
  // What it wrote is in the pipes by now; the end of file, too, unless somebody else has them.
  for (std::size_t before = SIZE_MAX; read_output_ && out_ && before != out_text_.size();) {
    before = out_text_.size();
    read_some(out_, out_text_);
  }
  for (std::size_t before = SIZE_MAX; err_ && before != err_text_.size();) {
    before = err_text_.size();
    read_some(err_, err_text_);
  }
}

}  // namespace talaria::test
