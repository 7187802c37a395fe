// SharedTexts: a list of texts whose copies share it, until one is changed. For lists that are
// passed on as they are by everybody, such as the variables of a command.
#pragma once

#include <atomic>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace talaria {

class SharedTexts {
 public:
  using List = std::vector<std::string>;

  SharedTexts() = default;
  // As a list is one, and the other way round.
  // NOLINTNEXTLINE(google-explicit-constructor)
  SharedTexts(List texts) : texts_(std::make_shared<List>(std::move(texts))) {}
  SharedTexts(std::initializer_list<std::string> texts) : SharedTexts(List(texts)) {}

  const List& get() const {
    static const List kNone;
    return texts_ ? *texts_ : kNone;
  }
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator const List&() const { return get(); }

  // To change it. Other copies stay as they are.
  List& own() {
    if (!texts_) texts_ = std::make_shared<List>();
    if (texts_.use_count() > 1) texts_ = std::make_shared<List>(*texts_);
    std::atomic_thread_fence(std::memory_order_acquire);  // another thread may have had a copy
    return *texts_;
  }

  List::const_iterator begin() const { return get().begin(); }
  List::const_iterator end() const { return get().end(); }
  std::size_t size() const { return get().size(); }
  bool empty() const { return get().empty(); }

  friend bool operator==(const SharedTexts& a, const SharedTexts& b) {
    return a.texts_ == b.texts_ || a.get() == b.get();
  }

 private:
  std::shared_ptr<List> texts_;
};

}  // namespace talaria
