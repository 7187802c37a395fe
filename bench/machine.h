// What the numbers depend on and what a reader must know to compare them.
#pragma once

#include <string>

namespace talaria::bench {

struct Machine {
  std::string processor;
  unsigned cores = 0;
  std::string kernel;
  std::string bash;
  std::string date;
  std::string load;  // the three averages, now
};

Machine describe_machine();

// The first number of /proc/loadavg, as text with the other two.
std::string load_now();

}  // namespace talaria::bench
