#include "sandboxes/sandbox_table.h"

#include <utility>

#include "os/file.h"
#include "os/file_lock.h"

namespace talaria::sandboxes {

Result<void> SandboxTable::open(const std::string& home) {
  const std::string directory = home + "/talaria";
  if (const auto made = os::make_private_directory(directory); !made) return made;
  auto lock = os::try_lock_file(directory + "/gateway.lock");
  if (!lock) return fail(lock.error());
  if (!*lock) {
    return fail(ErrorKind::unavailable,
                "another gateway serves this home (" + directory +
                    "/gateway.lock): stop it first, or use another TALARIA_HOME");
  }
  lock_ = std::move(**lock);
  home_ = home;
  auto store = host::SandboxStore::open(home);
  if (!store) return fail(store.error());
  store_.emplace(std::move(*store));
  auto stored = store_->live();
  if (!stored) return fail(stored.error());
  for (host::StoredSandbox& one : *stored) add(std::move(one));
  return {};
}

SandboxPtr SandboxTable::add(host::StoredSandbox stored) {
  auto sandbox = std::make_shared<Sandbox>();
  sandbox->stored = std::move(stored);
  if (sandboxes_.emplace(sandbox->info().id, sandbox).second) {
    ++owners_[sandbox->info().owner].sandboxes;
  }
  return sandbox;
}

void SandboxTable::erase(const std::string& id) {
  const auto found = sandboxes_.find(id);
  if (found == sandboxes_.end()) return;
  const Sandbox& sandbox = *found->second;
  const auto owner = owners_.find(sandbox.info().owner);
  owner->second.execs -= sandbox.live;
  if (--owner->second.sandboxes == 0) owners_.erase(owner);
  sandboxes_.erase(found);
}

void SandboxTable::add_exec(Sandbox& sandbox) {
  ++sandbox.live;
  ++owners_[sandbox.info().owner].execs;
}

void SandboxTable::remove_exec(Sandbox& sandbox) {
  --sandbox.live;
  --owners_[sandbox.info().owner].execs;
}

OwnerCounts SandboxTable::counts(const std::string& owner) const {
  const auto found = owners_.find(owner);
  return found == owners_.end() ? OwnerCounts() : found->second;
}

SandboxPtr SandboxTable::find(const std::string& id) const {
  const auto found = sandboxes_.find(id);
  return found == sandboxes_.end() ? nullptr : found->second;
}

Result<SandboxPtr> SandboxTable::find_owned(const std::string& owner, const std::string& id) const {
  SandboxPtr sandbox = find(id);
  if (sandbox && sandbox->info().owner == owner) return sandbox;
  return fail(ErrorKind::not_found, "unknown sandbox");
}

Result<SandboxPtr> SandboxTable::find_running(const std::string& owner,
                                              const std::string& id) const {
  auto sandbox = find_owned(owner, id);
  if (!sandbox || (*sandbox)->info().state != SandboxState::terminating) return sandbox;
  return fail(ErrorKind::not_found, "unknown sandbox");
}

}  // namespace talaria::sandboxes
