#include "runner/session_store.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "base/hash.h"
#include "os/file.h"
#include "rendezvous/session_file.h"

namespace talaria::runner {
namespace {

constexpr std::size_t kLargestFile = 64u << 20;

}  // namespace

std::string encode_session(const std::string& id, const shell::SessionState& state) {
  rendezvous::SessionFile file{.id = id, .umask = state.umask, .cwd = state.cwd};
  for (const auto& [name, value] : state.variables) file.variables.push_back({name, value});
  for (const auto& [name, function] : state.functions) {
    file.functions.push_back({name, function.text, function.exported});
  }
  for (const auto& [name, value] : state.aliases) file.aliases.push_back({name, value});
  for (const auto& [name, on] : state.options) file.options.push_back({name, std::nullopt, on});
  return rendezvous::encode_session_file(file);
}

Result<shell::SessionState> decode_session(const std::string& id, std::string_view bytes) {
  auto file = rendezvous::decode_session_file(bytes);
  if (!file) return fail(file.error());
  if (file->id != id) return fail(ErrorKind::system, "the file belongs to another session");
  shell::SessionState state;
  for (auto& [name, value, flag] : file->variables) {
    state.variables.insert_or_assign(name, std::move(value));
  }
  for (const auto& [name, value, flag] : file->functions) {
    state.functions.insert_or_assign(name, shell::ShellFunction{value.value_or(""), flag});
  }
  for (const auto& [name, value, flag] : file->aliases) {
    state.aliases.insert_or_assign(name, value.value_or(""));
  }
  for (const auto& [name, value, flag] : file->options) state.options.insert_or_assign(name, flag);
  state.umask = file->umask;
  state.cwd = std::move(file->cwd);
  return state;
}

// A name people recognise, made unique by a hash of the whole id: ids may be long and hold
// anything.
std::string SessionStore::path_of(const std::string& id) const {
  std::string readable;
  for (const char c : id) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    if (readable.size() < 60) readable += plain ? c : '_';
  }
  char suffix[32];
  std::snprintf(suffix, sizeof suffix, "-%016llx", static_cast<unsigned long long>(hash_text(id)));
  return directory_ + "/" + readable + suffix;
}

Result<SessionStore::Loaded> SessionStore::load(const std::string& id) {
  const std::string path = path_of(id);
  if (::access(path.c_str(), F_OK) < 0 && errno == ENOENT) return Loaded{};
  const auto file = os::open_regular_file(path);
  if (!file) return fail(file.error());
  const auto bytes = os::read_whole(file->get(), kLargestFile);
  if (!bytes) return fail(bytes.error());
  auto state = decode_session(id, *bytes);
  if (state) return Loaded{.state = std::move(*state)};
  ::rename(path.c_str(), (path + ".damaged").c_str());
  return Loaded{.damage = path + ": " + state.error().message() +
                          "; set aside as .damaged, the session starts afresh"};
}

Result<void> SessionStore::save(const std::string& id, const shell::SessionState& state) {
  if (const auto made = os::make_private_directory(directory_, 1); !made) return made;
  return os::replace_file(path_of(id), encode_session(id, state));
}

Result<void> SessionStore::remove(const std::string& id) {
  const std::string path = path_of(id);
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return fail(Error::from_errno("removing " + path));
}

}  // namespace talaria::runner
