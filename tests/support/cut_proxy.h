// CutProxy: stands between controllers and a runner, at the place of the runner's socket, and cuts
// connections where the test says. The runner and its controllers cannot tell it from a bad wire.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "os/unique_fd.h"

namespace talaria::test {

// One connection ends when so many bytes went one way. What was read but not yet passed on is lost.
struct Cut {
  std::size_t from_controller = std::numeric_limits<std::size_t>::max();
  std::size_t from_runner = std::numeric_limits<std::size_t>::max();
};

class CutProxy {
 public:
  // Takes the place of DIRECTORY/link-v1.sock. The n-th connection ends by cuts[n]; those after the
  // last are left alone.
  CutProxy(std::string directory, std::vector<Cut> cuts);
  CutProxy(const CutProxy&) = delete;
  CutProxy& operator=(const CutProxy&) = delete;
  ~CutProxy();  // puts the runner's socket back

  std::size_t connections() const { return connections_; }
  std::size_t cuts_made() const { return cuts_made_; }

 private:
  void serve();
  bool carry(int controller, int runner, const Cut& cut);

  std::string socket_;
  std::string real_;
  std::vector<Cut> cuts_;
  os::UniqueFd listener_;
  os::UniqueFd stop_;
  std::atomic<std::size_t> connections_ = 0;
  std::atomic<std::size_t> cuts_made_ = 0;
  std::vector<std::jthread> carriers_;
  std::jthread server_;
};

}  // namespace talaria::test
