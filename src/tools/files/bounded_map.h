// BoundedMap: values by name, at most so many; the one that was not used for longest makes room.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <string>
#include <utility>

namespace talaria::tool {

template <class Value>
class BoundedMap {
 public:
  explicit BoundedMap(std::size_t most) : most_(most) {}

  Value* find(const std::string& name) {
    const auto found = places_.find(name);
    if (found == places_.end()) return nullptr;
    values_.splice(values_.begin(), values_, found->second);
    return &found->second->second;
  }

  // Made if it is not there.
  Value& operator[](const std::string& name) {
    if (Value* value = find(name)) return *value;
    if (values_.size() == most_) {
      places_.erase(values_.back().first);
      values_.pop_back();
    }
    values_.emplace_front(name, Value());
    places_[name] = values_.begin();
    return values_.front().second;
  }

  void erase(const std::string& name) {
    const auto found = places_.find(name);
    if (found == places_.end()) return;
    values_.erase(found->second);
    places_.erase(found);
  }

  void clear() {
    values_.clear();
    places_.clear();
  }

  template <class Predicate>
  void erase_if(Predicate predicate) {
    for (auto at = values_.begin(); at != values_.end();) {
      if (!predicate(at->first, at->second)) {
        ++at;
        continue;
      }
      places_.erase(at->first);
      at = values_.erase(at);
    }
  }

  template <class Visit>
  void for_each(Visit visit) {
    for (auto& [name, value] : values_) visit(value);
  }

 private:
  using Values = std::list<std::pair<std::string, Value>>;

  std::size_t most_;
  Values values_;  // those used last are in front
  std::map<std::string, typename Values::iterator> places_;
};

}  // namespace talaria::tool
