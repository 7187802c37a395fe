// Residence: a runner's hold on its place: the lock that keeps others out, the socket it is found
// by, and the file that identifies it. Another program may remove them; they can then be restored,
// unless the directory is gone or another runner has come.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "os/file_facts.h"
#include "os/unique_fd.h"
#include "rendezvous/runner_place.h"

namespace talaria::runner {

class Residence {
 public:
  // Makes the place if need be. nullopt: another runner has it.
  static Result<std::optional<Residence>> take(rendezvous::RunnerPlace place);

  const rendezvous::RunnerPlace& place() const { return place_; }

  // The socket to accept controllers from. `identity`: the content of the file that identifies us.
  Result<os::UniqueFd> open(std::string identity);

  // Takes back what was removed. A new socket, if the old one has no name any more; an error if
  // no controller can find us here again.
  Result<std::optional<os::UniqueFd>> restore();

  // Removes the socket, if it is ours.
  void leave() const;

 private:
  Residence(rendezvous::RunnerPlace place, os::UniqueFd lock)
      : place_(std::move(place)), lock_(std::move(lock)) {}

  rendezvous::RunnerPlace place_;
  os::UniqueFd lock_;
  std::string identity_;
  std::optional<os::FileId> socket_;
};

}  // namespace talaria::runner
