#include "runner/shell/prelude.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/time_limit.h"
#include "os/child_process.h"
#include "os/directory.h"
#include "os/file.h"
#include "os/random.h"
#include "runner/limits.h"
#include "shell/script.h"

namespace talaria::runner {
namespace {

constexpr std::size_t kNameBytes = 12;

std::string text_path(const std::string& directory) {
  return directory + "/" + std::string(shell::kPreludeName);
}

std::string plain_path(const std::string& directory) { return directory + "/plain"; }

Task<std::size_t> read_some(asio::posix::stream_descriptor& from) {
  std::array<char, 1> first;
  const auto [error, size] = co_await from.async_read_some(asio::buffer(first), as_values);
  co_return size;
}

// Whether bash can parse the text; nothing in it is run.
Task<bool> is_readable(std::string bash, std::string path) {
  auto complaints = os::make_pipe();
  if (!complaints) co_return false;
  const os::SpawnSpec spec{.path = bash.c_str(),
                           .argv = {"bash", "-O", "extglob", "-n", path.c_str()},
                           .env = {"PATH=/usr/bin:/bin"},
                           .fds = {-1, -1, complaints->writer.get()}};
  const auto pid = os::spawn_process(spec);
  if (!pid) co_return false;
  const os::ChildProcess process(*pid);
  complaints->writer.reset();
  // It prints nothing and ends, or prints errors; a shell that does neither is killed.
  asio::posix::stream_descriptor reader(co_await asio::this_coro::executor,
                                        complaints->reader.release());
  const auto printed = co_await within(kParsePatience, read_some(reader));
  co_return printed && *printed == 0;
}

// Replaces the guarded text of `prelude` by the plain one, which is beside it, if bash can read it.
Task<void> make_plain(std::string bash, std::shared_ptr<const Prelude> prelude) {
  const std::string plain = plain_path(prelude->directory());
  const bool readable = co_await is_readable(std::move(bash), plain);
  if (readable && std::rename(plain.c_str(), text_path(prelude->directory()).c_str()) == 0) {
    co_return;
  }
  os::remove_file(plain);
}

bool defines_nothing(const shell::ShellState& state) {
  return state.functions.empty() && state.aliases.empty() && state.options.empty();
}

}  // namespace

Result<std::shared_ptr<const Prelude>> Prelude::write(std::string directory,
                                                      std::string_view text) {
  // Not the runner's own directory: that was removed on purpose.
  if (const auto made = os::make_private_directory(directory, 2); !made) return fail(made.error());
  auto prelude = std::make_shared<const Prelude>(std::move(directory));
  if (const auto written = os::replace_file(text_path(prelude->directory()), text); !written) {
    return fail(written.error());
  }
  return prelude;
}

Prelude::~Prelude() {
  ::unlink(plain_path(directory_).c_str());
  ::unlink(text_path(directory_).c_str());
  ::rmdir(directory_.c_str());
}

bool Prelude::is_there() const { return ::access(text_path(directory_).c_str(), R_OK) == 0; }

Result<std::shared_ptr<Preludes>> Preludes::open(std::string directory, std::string bash) {
  std::shared_ptr<Preludes> preludes(new Preludes(std::move(directory), std::move(bash)));
  const auto spare = preludes->make({});
  if (!spare && !preludes->make_spare_elsewhere()) return fail(spare.error());
  return preludes;
}

// The disk is full, most likely, and a command is needed to make room there.
bool Preludes::make_spare_elsewhere() {
  for (const char* place : {"/dev/shm/talaria-", "/tmp/talaria-", "/var/tmp/talaria-"}) {
    auto directory = os::make_fresh_directory(place);
    if (!directory) continue;
    auto written =
        Prelude::write(std::move(*directory), shell::prelude_text({}, shell::Definitions::plain));
    if (!written) continue;
    spare_ = std::move(*written);
    return true;
  }
  return false;
}

Result<std::shared_ptr<const Prelude>> Preludes::make(const shell::ShellState& state) {
  const std::string text = shell::prelude_text(state, shell::Definitions::plain);
  if (const auto known = shared_.find(text);
      known != shared_.end() && known->second.prelude->is_there()) {
    known->second.last_use = ++uses_;
    return known->second.prelude;
  }
  auto written = write(state, text);
  if (!written) return written;
  if (defines_nothing(state)) spare_ = *written;
  keep(text, *written);
  return written;
}

// The one that was not asked for longest goes.
void Preludes::keep(const std::string& text, std::shared_ptr<const Prelude> prelude) {
  shared_.insert_or_assign(text, Shared{std::move(prelude), ++uses_});
  if (shared_.size() <= kMaxSharedPreludes) return;
  shared_.erase(std::ranges::min_element(shared_, {},
                                         [](const auto& entry) { return entry.second.last_use; }));
}

std::shared_ptr<const Prelude> Preludes::spare() const {
  return spare_ && spare_->is_there() ? spare_ : nullptr;
}

// The check takes a moment, and a shell may be started from the text meanwhile.
Result<std::shared_ptr<const Prelude>> Preludes::write(const shell::ShellState& state,
                                                       const std::string& plain) const {
  const std::string directory = directory_ + "/" + os::random_hex(kNameBytes);
  if (state.functions.empty()) return Prelude::write(directory, plain);
  auto prelude = Prelude::write(directory, shell::prelude_text(state, shell::Definitions::guarded));
  if (prelude && executor_ && os::replace_file(plain_path(directory), plain)) {
    spawn(executor_, make_plain(bash_, *prelude));
  }
  return prelude;
}

}  // namespace talaria::runner
