#include "policy/guard/program/program_value.h"

#include <iterator>

namespace talaria::guard {

std::vector<ProgramValue> ProgramValue::alternatives() const {
  if (each) return items;
  ProgramValue alone = *this;
  alone.others.clear();
  std::vector<ProgramValue> all = others;
  all.push_back(std::move(alone));
  return all;
}

ProgramValue of_each(const std::vector<ProgramValue>& values,
                     const std::function<ProgramValue(const std::vector<ProgramValue>&)>& make) {
  const auto open = std::ranges::find_if(
      values, [](const ProgramValue& one) { return one.each || !one.others.empty(); });
  if (open == values.end()) return make(values);
  constexpr std::size_t kMostText = 16 * 1024;
  ProgramValue all{.text = "", .list = true, .each = true, .own = true, .path = true};
  std::size_t size = 0;
  std::vector<ProgramValue> chosen = values;
  for (ProgramValue& one : open->alternatives()) {
    chosen[static_cast<std::size_t>(open - values.begin())] = std::move(one);
    ProgramValue made = of_each(chosen, make);
    for (ProgramValue& item : made.each ? made.items : std::vector{made}) {
      size += item.text.size();
      if (all.items.size() >= kMaxAlternatives || size > kMostText) return ProgramValue::unknown();
      all.own = all.own && item.own;
      all.path = all.path && item.path;
      all.items.push_back(std::move(item));
    }
  }
  return all;
}

}  // namespace talaria::guard
