#include "runner/login/login_cache.h"

#include <algorithm>

#include "os/directory.h"
#include "os/file.h"
#include "runner/limits.h"

namespace talaria::runner {

std::shared_ptr<const LoginState> LoginCache::answer_to(const LoginQuestion& question) {
  load();
  const auto found =
      std::ranges::find_if(states_, [&](const auto& state) { return state->answers(question); });
  return found == states_.end() ? nullptr : *found;
}

std::shared_ptr<const LoginState> LoginCache::find(const std::string& id) {
  load();
  const auto found = std::ranges::find(states_, id, &LoginState::id);
  return found == states_.end() ? nullptr : *found;
}

void LoginCache::keep(std::shared_ptr<const LoginState> state) {
  load();
  const std::vector<std::shared_ptr<const LoginState>> all = states_;
  for (const auto& other : all) {
    if (!other->is_current()) drop(other.get());
  }
  while (states_.size() >= kMaxLogins) drop(states_.front().get());
  if (state->lasting && os::make_private_directory(directory_, 1)) {
    (void)os::replace_file(path_of(*state), encode_login(*state));
  }
  states_.push_back(std::move(state));
}

void LoginCache::load() {
  if (std::exchange(loaded_, true)) return;
  for (const std::string& name : os::names_in(directory_)) {
    const std::string path = directory_ + "/" + name;
    const auto file = os::open_regular_file(path);
    if (!file) continue;
    const auto bytes = os::read_whole(file->get(), kLargestLogin);
    if (!bytes) continue;
    auto state = decode_login(*bytes);
    if (state && state->id == name && states_.size() < kMaxLogins) {
      states_.push_back(std::make_shared<const LoginState>(std::move(*state)));
    } else {
      os::remove_file(path);
    }
  }
}

void LoginCache::drop(const LoginState* state) {
  os::remove_file(path_of(*state));
  std::erase_if(states_, [&](const auto& other) { return other.get() == state; });
}

}  // namespace talaria::runner
