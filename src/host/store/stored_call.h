// StoredCall: a call of a tool that outlives the request it was made by, as the home stores it.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <boost/json/object.hpp>

namespace talaria::host {

struct StoredCall {
  std::string owner;  // who may ask for it
  std::string tool;
  std::chrono::system_clock::time_point began;
  std::optional<boost::json::object> answer;  // absent: it runs, or is lost
  bool lost = false;                          // the program that made it is gone
  bool end_wanted = false;                    // somebody asked that program to end it
};

}  // namespace talaria::host
