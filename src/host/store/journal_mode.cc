#include "host/store/journal_mode.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "base/limits.h"

namespace talaria::host {
namespace {

constexpr auto kPause = std::chrono::milliseconds(10);

JournalMode journal_for(const std::string& path) {
  struct statfs info{};
  if (::statfs(path.c_str(), &info) != 0) return JournalMode::rollback;
  return journal_on(static_cast<unsigned long>(info.f_type) & 0xffffffffu);
}

// Changing it needs the file for oneself, and SQLite does not wait for that.
Result<void> change_mode(Database& database, const std::string& sql) {
  const auto until = std::chrono::steady_clock::now() + kStorePatience;
  for (;;) {
    const auto changed = database.run_script(sql);
    const bool busy = !changed && changed.error().kind() == ErrorKind::unavailable;
    if (!busy || std::chrono::steady_clock::now() >= until) return changed;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

JournalMode journal_on(unsigned long filesystem) {
  constexpr auto kShared = std::to_array<unsigned long>({
      0x6969,      // nfs
      0xff534d42,  // cifs
      0xfe534d42,  // smb2
      0x517b,      // smb
      0x65735546,  // fuse: whatever is behind it
      0x01021997,  // 9p
      0x0bd00bd0,  // lustre
      0x00c36400,  // ceph
      0x5346414f,  // afs
      0x6b414653,  // kernel afs
      0x47504653,  // gpfs
      0x19830326,  // beegfs
  });
  const bool shared = std::ranges::find(kShared, filesystem) != kShared.end();
  return shared ? JournalMode::rollback : JournalMode::write_ahead;
}

Result<JournalMode> set_journal(Database& database) {
  const JournalMode chosen = journal_for(database.path());
  const bool write_ahead = chosen == JournalMode::write_ahead;
  const std::string wanted = write_ahead ? "wal" : "delete";
  const auto mode =
      database.first([](const Query& row) { return row.text(0); }, "PRAGMA journal_mode");
  if (!mode) return fail(mode.error());
  if (*mode != wanted) {
    if (const auto set = change_mode(database, "PRAGMA journal_mode = " + wanted); !set) {
      return fail(set.error());
    }
  }
  // With a log this survives the death of any program, and a power cut costs the last moments, not
  // the file. A rollback journal has to be on disk for that.
  const auto set = database.run_script(write_ahead ? "PRAGMA synchronous = NORMAL"
                                                   : "PRAGMA synchronous = FULL");
  if (!set) return fail(set.error());
  return chosen;
}

}  // namespace talaria::host
