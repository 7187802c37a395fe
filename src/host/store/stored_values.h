// Times and lists as the database stores them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/json.hpp>

namespace talaria::host {

// Milliseconds since 1970.
inline std::int64_t stored(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

inline std::int64_t now_stored() { return stored(std::chrono::system_clock::now()); }

// A number that no clock can show (of a damaged or invented row) is the nearest that one can.
inline std::chrono::system_clock::time_point time_of(std::int64_t stored_time) {
  using std::chrono::milliseconds;
  using std::chrono::system_clock;
  constexpr auto kMost = std::chrono::floor<milliseconds>(system_clock::duration::max());
  const milliseconds time(std::clamp<std::int64_t>(stored_time, -kMost.count(), kMost.count()));
  return system_clock::time_point(time);
}

// A JSON list.
inline std::string stored(const std::vector<std::string>& texts) {
  return boost::json::serialize(boost::json::array(texts.begin(), texts.end()));
}

// The strings of a list; an invalid one has none.
inline std::vector<std::string> texts_of(const boost::json::value& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const boost::json::value& item : list.get_array()) {
    if (item.is_string()) texts.emplace_back(item.get_string());
  }
  return texts;
}

// Null if the text is not JSON.
inline boost::json::value json_of(const std::string& text) {
  boost::system::error_code invalid;
  boost::json::value value = boost::json::parse(text, invalid);
  return invalid ? boost::json::value(nullptr) : value;
}

}  // namespace talaria::host
