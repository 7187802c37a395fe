#include "runner/tree/spawn_request.h"

#include <cerrno>
#include <utility>

#include "link/codec.h"
#include "os/file.h"
#include "runner/limits.h"

namespace talaria::link {

// Both ends are of one program: the numbers may change.
TALARIA_MESSAGE(runner::ReaperSpec) {
  field(1, "path", message.path, kMaxMessage);
  field(2, "argv", message.argv, kMaxMessage);
  field(3, "env", message.env, kMaxMessage);
  field(4, "cwd", message.cwd, kMaxMessage);
  field(5, "cgroup", message.cgroup, kMaxMessage);
  field(6, "descriptors", message.descriptors);
  field(7, "has_room", message.has_room);
  field(8, "on_terminal", message.on_terminal);
}

}  // namespace talaria::link

namespace talaria::runner {
namespace {

// The first byte says which descriptors there are besides the output, in this order: the channel
// (before the output), the input, the file with the spec.
constexpr std::byte kHasInput{1};
constexpr std::byte kSpecInFile{2};
constexpr std::byte kHasChannel{4};

bool has(std::byte flags, std::byte flag) { return (flags & flag) != std::byte{0}; }

}  // namespace

Result<void> send_spawn_request(int to, const ReaperSpec& spec, const ProgramEnds& ends) {
  std::string bytes = link::encode(spec);
  std::byte flags{0};
  std::vector<int> fds;
  if (ends.channel >= 0) {
    flags |= kHasChannel;
    fds.push_back(ends.channel);
  }
  fds.push_back(ends.output);
  if (ends.input >= 0) {
    flags |= kHasInput;
    fds.push_back(ends.input);
  }
  os::UniqueFd file;
  if (bytes.size() > kInlineRequest) {
    auto made = os::make_memory_file("talaria-spec", bytes);
    if (!made) return fail(made.error());
    file = std::move(*made);
    flags |= kSpecInFile;
    fds.push_back(file.get());
    bytes.clear();
  }
  bytes.insert(bytes.begin(), static_cast<char>(flags));
  // Waits while the other side is behind; that is no longer than starting programs takes.
  return send_message(to, std::as_bytes(std::span(bytes)), fds, os::Waiting::yes);
}

Result<SpawnRequest> read_spawn_request(std::span<const std::byte> message,
                                        os::Received& received) {
  if (received.fds_lost) return fail(Error::from_errno("receive descriptors", EMFILE));
  const std::byte flags = message[0];
  std::string bytes(reinterpret_cast<const char*>(message.data()) + 1, message.size() - 1);
  std::vector<os::UniqueFd>& fds = received.fds;
  if (has(flags, kSpecInFile)) {
    const os::UniqueFd file = std::move(fds.back());
    auto content = os::read_whole(file.get(), kLargestSpec);
    if (!content) return fail(content.error());
    bytes = std::move(*content);
  }
  auto spec = link::decode<ReaperSpec>(bytes);
  if (!spec) return fail(spec.error());
  SpawnRequest request{.spec = std::move(*spec)};
  std::size_t next = 0;
  if (has(flags, kHasChannel)) request.channel = std::move(fds.at(next++));
  request.output = std::move(fds.at(next++));
  if (has(flags, kHasInput)) request.input = std::move(fds.at(next++));
  return request;
}

}  // namespace talaria::runner
