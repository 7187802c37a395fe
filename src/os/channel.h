// Channel: messages between two processes on this machine (a Unix seqpacket socket). A message
// arrives whole or not at all, and may carry descriptors.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria::os {

struct ChannelPair {
  UniqueFd ours;
  UniqueFd theirs;
};

Result<ChannelPair> make_channel();

inline constexpr std::size_t kMaxCarried = 4;  // descriptors in one message

struct Received {
  std::size_t size = 0;  // 0: the other side is gone
  std::vector<UniqueFd> fds;
  bool fds_lost = false;  // we had no room for all of them (EMFILE)
};

enum class Waiting { no, yes };

// If it does not wait it fails when the other side has not made room.
Result<void> send_message(int channel, std::span<const std::byte> message,
                          std::span<const int> fds = {}, Waiting waiting = Waiting::no);
// nullopt: nothing is there (only if it does not wait).
Result<std::optional<Received>> receive_message(int channel, std::span<std::byte> buffer,
                                                Waiting waiting = Waiting::no);

// Whether the other side is gone.
bool is_closed(int channel);

}  // namespace talaria::os
