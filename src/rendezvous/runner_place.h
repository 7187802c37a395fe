// RunnerPlace: a runner's directory and what is where in it, for the runner and for whoever looks
// for one. The files of different protocol majors (here v1) live beside each other.
#pragma once

#include <string>

namespace talaria::rendezvous {

struct RunnerPlace {
  std::string directory;

  std::string socket() const;      // link-v1.sock: where the runner listens
  std::string lock() const;        // runner-v1.lock: held as long as it lives
  std::string identity() const;    // runner-v1: its pid, instance and version, one per line
  std::string start_lock() const;  // start.lock: held by whoever is starting one
  std::string moved_to() const;    // moved-to: names the directory that is used instead of this one
  std::string log() const;         // runner.log: what it had to say
};

}  // namespace talaria::rendezvous
