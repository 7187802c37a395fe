// SudoListeners: those of a program who are asked for the password of sudo, besides a hook of the
// embedding program. While there is none, the question goes where it would go without them.
#pragma once

#include <talaria/hooks.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace talaria {

class SudoListeners {
 public:
  using Ask = std::function<void(const SudoRequest&, SudoReply)>;

  // `session_key`: whose commands it is asked about; empty: all.
  std::uint64_t add(std::string session_key, Ask ask) {
    listeners_.emplace(++last_, Listener{std::move(session_key), std::move(ask)});
    return last_;
  }
  void remove(std::uint64_t id) { listeners_.erase(id); }
  bool empty() const { return listeners_.empty(); }

  // False: nobody listens to that session.
  bool ask(const SudoRequest& request, const SudoReply& reply) const {
    for (const bool named : {true, false}) {
      for (const auto& [id, one] : listeners_) {
        const bool hears = named
                               ? one.session_key == request.session_key && !one.session_key.empty()
                               : one.session_key.empty();
        if (!hears) continue;
        const Ask ask = one.ask;
        ask(request, reply);
        return true;
      }
    }
    return false;
  }

 private:
  struct Listener {
    std::string session_key;
    Ask ask;
  };

  std::map<std::uint64_t, Listener> listeners_;
  std::uint64_t last_ = 0;
};

}  // namespace talaria
