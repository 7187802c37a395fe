// SharedMap: a map of names whose copies share it until one is changed, so that a copy costs
// nothing and equal copies are known to be equal without looking. For what many hold as it is: the
// variables, functions and aliases of a session.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace talaria {

template <class Value>
class SharedMap {
 public:
  using Map = std::map<std::string, Value, std::less<>>;
  using value_type = Map::value_type;
  using const_iterator = Map::const_iterator;
  using iterator = const_iterator;

  SharedMap() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a map is one
  SharedMap(Map map) : map_(std::make_shared<Map>(std::move(map))) {}
  SharedMap(std::initializer_list<value_type> entries) : SharedMap(Map(entries)) {}
  template <class Iterator>
  SharedMap(Iterator first, Iterator last) : SharedMap(Map(first, last)) {}

  const_iterator begin() const { return get().begin(); }
  const_iterator end() const { return get().end(); }
  const_iterator find(std::string_view name) const { return get().find(name); }
  const_iterator lower_bound(std::string_view name) const { return get().lower_bound(name); }
  bool contains(std::string_view name) const { return get().contains(name); }
  const Value& at(const std::string& name) const { return get().at(name); }
  std::size_t size() const { return get().size(); }
  bool empty() const { return get().empty(); }

  void insert_or_assign(std::string_view name, Value value) {
    own().insert_or_assign(std::string(name), std::move(value));
  }
  // An entry that is there stays; whether there was none.
  bool try_emplace(std::string_view name, Value value) {
    if (contains(name)) return false;
    own().emplace(std::string(name), std::move(value));
    return true;
  }
  template <class Iterator>
  void insert(Iterator first, Iterator last) {
    own().insert(first, last);
  }
  void insert(std::initializer_list<value_type> entries) { own().insert(entries); }
  void insert(value_type entry) { own().insert(std::move(entry)); }
  void erase(std::string_view name) {
    if (!contains(name)) return;
    Map& map = own();
    map.erase(map.find(name));
  }
  template <class Test>
  friend std::size_t erase_if(SharedMap& map, Test test) {
    if (std::none_of(map.begin(), map.end(), test)) return 0;
    return std::erase_if(map.own(), test);
  }

  Value& operator[](std::string_view name) { return own()[std::string(name)]; }

  // For more than one change. Other copies stay as they are.
  Map& own() {
    if (!map_) map_ = std::make_shared<Map>();
    if (map_.use_count() > 1) map_ = std::make_shared<Map>(*map_);
    std::atomic_thread_fence(std::memory_order_acquire);  // another thread may have had a copy
    return *map_;
  }

  // Whether they are one and the same, which takes no look at the entries.
  bool shares_with(const SharedMap& other) const {
    return map_ == other.map_ || (empty() && other.empty());
  }
  friend bool operator==(const SharedMap& a, const SharedMap& b) {
    return a.shares_with(b) || a.get() == b.get();
  }

 private:
  const Map& get() const {
    static const Map kNone;
    return map_ ? *map_ : kNone;
  }

  std::shared_ptr<Map> map_;
};

}  // namespace talaria
