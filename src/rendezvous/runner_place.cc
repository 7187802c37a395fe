#include "rendezvous/runner_place.h"

#include "link/handshake.h"

namespace talaria::rendezvous {
namespace {

std::string versioned(const std::string& directory, const char* name, const char* suffix) {
  return directory + "/" + name + "-v" + std::to_string(link::kProtocolMajor) + suffix;
}

}  // namespace

std::string RunnerPlace::socket() const { return versioned(directory, "link", ".sock"); }
std::string RunnerPlace::lock() const { return versioned(directory, "runner", ".lock"); }
std::string RunnerPlace::identity() const { return versioned(directory, "runner", ""); }
std::string RunnerPlace::start_lock() const { return directory + "/start.lock"; }
std::string RunnerPlace::moved_to() const { return directory + "/moved-to"; }
std::string RunnerPlace::log() const { return directory + "/runner.log"; }

}  // namespace talaria::rendezvous
