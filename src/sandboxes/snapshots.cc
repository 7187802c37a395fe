#include "sandboxes/snapshots.h"

#include <utility>

#include "os/file.h"
#include "sandboxes/own_command.h"
#include "sandboxes/sandbox_place.h"
#include "sandboxes/snapshot_archive.h"
#include "shell/quote.h"

namespace talaria::sandboxes {
namespace {

std::string snapshot_name(const SandboxInfo& sandbox) { return "snapshot_" + sandbox.id; }

}  // namespace

std::string Snapshots::stored(const SandboxInfo& sandbox) {
  return table_->store()
      .snapshot(sandbox.owner, sandbox.spec.logical_key, sandbox.target)
      .value_or("");
}

Task<void> Snapshots::restore(SandboxInfo& sandbox) {
  const std::string snapshot = are_kept_for(sandbox) ? stored(sandbox) : "";
  if (snapshot.empty()) co_return;
  if (is_container_target(sandbox.target)) {
    const auto restored = co_await restore_archive(services_, sandbox.id, snapshot);
    sandbox.restored = restored.has_value();
    co_return;
  }
  const auto copied = co_await run_own_command(
      services_, sandbox.id,
      "cp -a --reflink=auto -- " + shell::single_quote(snapshot) + "/. " +
          shell::single_quote(sandbox.directory) + "/");
  sandbox.restored = copied.has_value();
}

Task<Result<void>> Snapshots::save(const SandboxInfo& sandbox) {
  return sandbox.directory.empty() ? save_container(sandbox) : save_directory(sandbox);
}

Task<Result<void>> Snapshots::save_directory(const SandboxInfo& sandbox) {
  const std::string before = stored(sandbox);
  const std::string parent = sandbox.directory.substr(0, sandbox.directory.rfind('/'));
  const std::string place = parent + "/" + snapshot_name(sandbox);
  // The snapshot is there already if a gateway was killed after moving it.
  const std::string from = shell::single_quote(sandbox.directory);
  const std::string to = shell::single_quote(place);
  const auto moved = co_await run_own_command(
      services_, sandbox.id,
      "[ -d " + to + " ] && ! [ -e " + from + " ] || mv -T -- " + from + " " + to);
  if (!moved) co_return fail(moved.error());
  const auto written = table_->store().set_snapshot(sandbox.owner, sandbox.spec.logical_key,
                                                    sandbox.target, place);
  if (!written) co_return written;
  if (!before.empty() && before != place) {
    (void)co_await run_own_command(services_, sandbox.id,
                                   "rm -rf -- " + shell::single_quote(before));
  }
  co_return Result<void>();
}

Task<Result<void>> Snapshots::save_container(const SandboxInfo& sandbox) {
  const std::string directory = services_.settings.config()->home + "/talaria/snapshots";
  if (const auto made = os::make_private_directory(directory); !made) co_return made;
  const std::string file = directory + "/" + snapshot_name(sandbox) + ".tar";
  const auto saved =
      co_await save_archive(services_, sandbox.id, exec_directory(sandbox, std::nullopt), file);
  if (!saved) co_return saved;
  const std::string before = stored(sandbox);
  const auto written = table_->store().set_snapshot(sandbox.owner, sandbox.spec.logical_key,
                                                    sandbox.target, file);
  if (!written) co_return written;
  if (!before.empty() && before != file) os::remove_file(before);
  co_return Result<void>();
}

}  // namespace talaria::sandboxes
