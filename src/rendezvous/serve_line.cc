#include "rendezvous/serve_line.h"

namespace talaria::rendezvous {
namespace {

constexpr std::string_view kReady = "ready ";
constexpr std::string_view kTaken = "another runner serves ";

}  // namespace

std::string ready_line(std::string_view instance) {
  return std::string(kReady) + std::string(instance);
}

std::string taken_line(std::string_view directory) {
  return std::string(kTaken) + std::string(directory);
}

Served read_serve_line(std::string_view line) {
  if (line.starts_with(kReady)) return Served::ready;
  if (line.starts_with(kTaken)) return Served::taken;
  return Served::failed;
}

}  // namespace talaria::rendezvous
