#include "runner/tree/spawn_request.h"

#include <cerrno>
#include <utility>

#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_reader.hpp>

#include "os/file.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

enum class SpecField : protozero::pbf_tag_type {
  path = 1,
  argument = 2,
  environment = 3,
  cwd = 4,
  cgroup = 5,
  descriptors = 6,
  opens_memory = 7,
  on_terminal = 8,
};

std::string encode_spec(const ReaperSpec& spec) {
  std::string bytes;
  protozero::pbf_builder<SpecField> writer(bytes);
  writer.add_string(SpecField::path, spec.path);
  for (const std::string& argument : spec.argv) writer.add_bytes(SpecField::argument, argument);
  writer.add_bytes(SpecField::environment, spec.env);
  writer.add_string(SpecField::cwd, spec.cwd);
  writer.add_string(SpecField::cgroup, spec.cgroup);
  writer.add_uint64(SpecField::descriptors, spec.descriptors);
  writer.add_bool(SpecField::opens_memory, spec.opens_memory);
  writer.add_bool(SpecField::on_terminal, spec.on_terminal);
  return bytes;
}

// Both ends are of one program: what does not parse is a bug, and an exception.
ReaperSpec decode_spec(std::string_view bytes) {
  ReaperSpec spec;
  protozero::pbf_reader message(bytes.data(), bytes.size());
  while (message.next()) {
    switch (static_cast<SpecField>(message.tag())) {
      case SpecField::path:
        spec.path = message.get_string();
        break;
      case SpecField::argument:
        spec.argv.push_back(message.get_string());
        break;
      case SpecField::environment:
        spec.env = message.get_string();
        break;
      case SpecField::cwd:
        spec.cwd = message.get_string();
        break;
      case SpecField::cgroup:
        spec.cgroup = message.get_string();
        break;
      case SpecField::descriptors:
        spec.descriptors = message.get_uint64();
        break;
      case SpecField::opens_memory:
        spec.opens_memory = message.get_uint64() != 0;
        break;
      case SpecField::on_terminal:
        spec.on_terminal = message.get_uint64() != 0;
        break;
      default:
        message.skip();
    }
  }
  return spec;
}

// The first byte says which descriptors there are besides the output, in this order: the channel
// (before the output), the input, the file with the spec.
constexpr std::byte kHasInput{1};
constexpr std::byte kSpecInFile{2};
constexpr std::byte kHasChannel{4};

bool has(std::byte flags, std::byte flag) { return (flags & flag) != std::byte{0}; }

}  // namespace

Result<void> send_spawn_request(int to, const ReaperSpec& spec, const ProgramEnds& ends) {
  std::string bytes = encode_spec(spec);
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
  SpawnRequest request{.spec = decode_spec(bytes)};
  std::size_t next = 0;
  if (has(flags, kHasChannel)) request.channel = std::move(fds.at(next++));
  request.output = std::move(fds.at(next++));
  if (has(flags, kHasInput)) request.input = std::move(fds.at(next++));
  return request;
}

}  // namespace talaria::runner
