// LineMatcher: finds the lines of a stream that contain one of some texts, however the stream is
// cut into pieces. A line ends at any break Unicode knows. One that is not finished is searched as
// far as it has come (a prompt never ends), and counted once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::runner {

struct LineMatches {
  std::size_t lines = 0;
  std::string pattern;             // the first that was found
  std::vector<std::string> shown;  // the first of them, without white space at the end
};

class LineMatcher {
 public:
  // Empty patterns match nothing.
  explicit LineMatcher(std::vector<std::string> patterns);

  LineMatches feed(std::string_view bytes);

 private:
  void look_at(std::string_view line, LineMatches& matches);

  std::vector<std::string> patterns_;
  std::string line_;      // the unfinished one, or its end
  bool counted_ = false;  // it was a match already
};

}  // namespace talaria::runner
