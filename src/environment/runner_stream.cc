#include "environment/runner_stream.h"

#include <talaria/version.h>

#include <span>
#include <string>

#include "os/file.h"
#include "os/random.h"
#include "rendezvous/find_runner.h"

namespace talaria::environment {
namespace {

link::LinkId new_link_id() {
  link::LinkId id;
  os::fill_random(std::as_writable_bytes(std::span(id.bytes)));
  return id;
}

}  // namespace

link::LinkClientOptions link_identity() {
  return {.new_link_id = new_link_id, .software = std::string(kVersion)};
}

Result<link::ByteStream> runner_stream(const asio::any_io_executor& executor, os::UniqueFd socket,
                                       const rendezvous::RunnerPlace& place) {
  auto second = os::duplicate(socket.get());
  if (!second) return fail(second.error());
  return link::ByteStream{
      .reader = {executor, socket.release()},
      .writer = {executor, second->release()},
      .about = [place] { return rendezvous::describe_holder(place) + ", log in " + place.log(); }};
}

}  // namespace talaria::environment
