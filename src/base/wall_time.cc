#include "base/wall_time.h"

#include <array>
#include <ctime>

namespace talaria {
namespace {

std::string format_time(const std::tm& parts, const char* format) {
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

}  // namespace

std::string local_time(std::chrono::system_clock::time_point time, const char* format) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  return format_time(parts, format);
}

std::string utc_time(std::chrono::system_clock::time_point time, const char* format) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return format_time(parts, format);
}

std::string utc_time_ms(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch());
  const std::string fraction = std::to_string(1000 + since.count() % 1000);
  return utc_time(time) + "." + fraction.substr(1) + "Z";
}

bool begins_utc_time(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00.000Z";
  constexpr std::string_view kFirst = "0000-01-01T00:00:00.000Z";
  if (text.size() < std::string_view("0000-00").size() || text.size() > kForm.size()) return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_digit = text[at] >= '0' && text[at] <= '9';
    if (kForm[at] == '0' ? !is_digit : text[at] != kForm[at]) return false;
  }
  const bool within_part = text.size() < kForm.size() && kForm[text.size()] == '0';
  if (within_part) return false;
  const std::string whole = std::string(text) + std::string(kFirst.substr(text.size()));
  const auto number = [&](std::size_t at, std::size_t size) {
    return std::stoi(whole.substr(at, size));
  };
  const std::chrono::year_month_day day(std::chrono::year(number(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(8, 2))));
  return day.ok() && number(11, 2) < 24 && number(14, 2) < 60 && number(17, 2) < 60;
}

std::uint64_t milliseconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace talaria
