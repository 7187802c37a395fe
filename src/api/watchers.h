// Watchers: what parts of this program want to know of calls while they wait: that a person is
// asked about one, and what was answered; that a target is prepared. They cannot change anything.
#pragma once

#include <talaria/approval.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

namespace talaria {

struct Watcher {
  std::function<void(const ApprovalRequest&)> asked = {};
  // "once", "session", "always", "deny" or "timeout".
  std::function<void(const ApprovalRequest&, std::string_view choice)> answered = {};
  std::function<void(std::string_view text)> preparing = {};
};

class Watchers {
 public:
  std::uint64_t add(Watcher watcher) {
    watchers_.emplace(++last_, std::move(watcher));
    return last_;
  }
  void remove(std::uint64_t id) { watchers_.erase(id); }

  void asked(const ApprovalRequest& request) const { tell(&Watcher::asked, request); }
  void answered(const ApprovalRequest& request, std::string_view choice) const {
    tell(&Watcher::answered, request, choice);
  }
  void preparing(std::string_view text) const { tell(&Watcher::preparing, text); }

 private:
  // One may add or remove others meanwhile.
  template <class Member, class... Facts>
  void tell(Member member, const Facts&... facts) const {
    const auto watchers = watchers_;
    for (const auto& [id, one] : watchers) {
      if (one.*member) (one.*member)(facts...);
    }
  }

  std::map<std::uint64_t, Watcher> watchers_;
  std::uint64_t last_ = 0;
};

}  // namespace talaria
