// Channel: messages between two processes on this machine (a Unix seqpacket socket). A message
// arrives whole or not at all, and may carry one descriptor.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria {

struct ChannelPair {
  UniqueFd ours;
  UniqueFd theirs;
};

Result<ChannelPair> make_channel();

struct Received {
  std::size_t size = 0;  // 0: the other side is gone
  UniqueFd fd;           // what the message carried, if anything
};

// Neither waits: `receive` gives nullopt when nothing is there.
Result<void> send_message(int channel, std::span<const std::byte> message, int fd = -1);
Result<std::optional<Received>> receive_message(int channel, std::span<std::byte> buffer);

}  // namespace talaria
