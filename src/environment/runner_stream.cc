#include "environment/runner_stream.h"

#include <talaria/version.h>

#include <span>
#include <string>

#include "os/file.h"
#include "os/random.h"
#include "rendezvous/find_runner.h"

namespace talaria {
namespace {

LinkId new_link_id() {
  LinkId id;
  fill_random(std::as_writable_bytes(std::span(id.bytes)));
  return id;
}

}  // namespace

LinkClientOptions link_identity() {
  return {.new_link_id = new_link_id, .software = std::string(kVersion)};
}

Result<ByteStream> runner_stream(const asio::any_io_executor& executor, UniqueFd socket,
                                 const RunnerPlace& place) {
  auto second = duplicate(socket.get());
  if (!second) return fail(second.error());
  return ByteStream{
      .reader = {executor, socket.release()},
      .writer = {executor, second->release()},
      .about = [place] { return describe_holder(place) + ", log in " + place.log(); }};
}

}  // namespace talaria
