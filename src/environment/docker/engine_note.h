// EngineNote: whether something is so at an engine, remembered for a day, because it takes a while
// to find out.
#pragma once

#include <optional>
#include <string>

namespace talaria::environment::docker {

class EngineNote {
 public:
  // `what` is the name of the question, `about` what it is asked of.
  EngineNote(const std::string& home, const std::string& what, const std::string& about);

  std::optional<bool> read() const;
  void write(bool yes) const;
  void forget() const;

 private:
  std::string path_;  // below <home>/talaria
};

}  // namespace talaria::environment::docker
