// BenchTarget: a target of Talaria's own making, as one measurement needs it, and the bare way to
// run one command there. Destroying it removes what was made.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace talaria::bench {

struct BenchTarget {
  std::string name;                   // as in TERMINAL_ENV
  std::vector<std::string> settings;  // NAME=value for talaria
  std::string bare;   // shell words that run `true` there without Talaria, once it is made
  std::string shell;  // shell words before a script that is run there without Talaria; may be empty
  std::string fresh;  // shell words that make a container, run `true` and remove it; may be empty
  std::string life;   // a program that makes a container, has twenty cold shells run `true` there,
                      // and removes it; may be empty
  std::string image;  // of those two
  std::string count;  // shell words that print how many containers there are; may be empty
  double times = 1;   // how many times faster than `bare` it is to be
  std::string clean;  // shell words that remove what a measurement left; may be empty
};

// Those whose engines run here, as tests/engines says. `home` is Talaria's, for what is kept there.
std::vector<BenchTarget> bench_targets(const std::string& home);
std::optional<BenchTarget> bench_target(const std::string& home, const std::string& name);

}  // namespace talaria::bench
