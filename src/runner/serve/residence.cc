#include "runner/serve/residence.h"

#include "os/file.h"
#include "os/file_lock.h"
#include "os/unix_socket.h"
#include "rendezvous/runner_place.h"

namespace talaria::runner {
namespace {

Result<void> make_directories(const rendezvous::RunnerPlace& place) {
  for (const char* part : {"", "/sessions", "/spill", "/jobs"}) {
    if (const auto made = os::make_private_directory(place.directory + part); !made) return made;
  }
  return {};
}

}  // namespace

Result<std::optional<Residence>> Residence::take(rendezvous::RunnerPlace place) {
  if (const auto made = make_directories(place); !made) return fail(made.error());
  auto lock = os::try_lock_file(place.lock());
  if (!lock) return fail(lock.error());
  if (!*lock) return std::nullopt;
  return Residence(std::move(place), std::move(**lock));
}

Result<os::UniqueFd> Residence::open(std::string identity) {
  identity_ = std::move(identity);
  auto socket = os::listen_at_socket(place_.socket());
  if (!socket) return socket;
  socket_ = os::file_id(place_.socket());
  // On a full disk nothing names the runner; that of an earlier one would be wrong.
  if (!os::replace_file(place_.identity(), identity_)) os::remove_file(place_.identity());
  return socket;
}

Result<std::optional<os::UniqueFd>> Residence::restore() {
  if (!os::is_file_at(lock_.get(), place_.lock())) {
    // Fails where the directory is gone. It is not made again: its removal means that we are not
    // wanted there.
    auto lock = os::try_lock_file(place_.lock());
    if (!lock) return fail(lock.error());
    if (!*lock) return fail(ErrorKind::unavailable, rendezvous::taken_line(place_.directory));
    lock_ = std::move(**lock);
  }
  if (os::file_id(place_.socket())) return std::nullopt;  // ours, or one that stands in for it
  if (const auto made = make_directories(place_); !made) return fail(made.error());
  auto socket = open(std::move(identity_));
  if (!socket) return fail(socket.error());
  return std::optional(std::move(*socket));
}

void Residence::leave() const {
  if (socket_ && os::file_id(place_.socket()) == socket_) os::remove_file(place_.socket());
}

}  // namespace talaria::runner
