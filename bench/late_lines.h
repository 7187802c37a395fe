// LateLines: somebody who follows processes whose lines are the times they were printed at, and
// says how late each line came. Destroying it ends whoever follows.
#pragma once

#include <memory>
#include <vector>

#include "bench/background.h"
#include "bench/home.h"

namespace talaria::bench {

class LateLines {
 public:
  virtual ~LateLines() = default;

  virtual double next() = 0;  // waits for the next line of any of them; ms
};

// One controller for all, a program with the C++ interface. `loud` is followed and not looked at.
std::unique_ptr<LateLines> follow_with_one(const Home& home, const Process& loud,
                                           const std::vector<Process>& quiet);

// A `talaria logs -f` for each.
std::unique_ptr<LateLines> follow_with_logs(const Home& home, const Process& loud,
                                            const std::vector<Process>& quiet);

}  // namespace talaria::bench
