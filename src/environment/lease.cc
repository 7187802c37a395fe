#include "environment/lease.h"

#include <sys/file.h>
#include <sys/stat.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <thread>

#include <boost/algorithm/string/replace.hpp>

#include "base/sha256.h"
#include "base/text.h"
#include "environment/lease_index.h"
#include "os/directory.h"
#include "os/file.h"
#include "os/file_lock.h"

namespace talaria::environment {
namespace {

constexpr std::size_t kLargestLease = 64 * 1024;
constexpr std::size_t kNameDigits = 24;
constexpr int kClaimAttempts = 20;
constexpr auto kClaimPause = std::chrono::microseconds(100);

std::string directory_in(const std::string& home) { return home + "/talaria/leases"; }

std::string name_of(std::string_view kind, std::string_view id) {
  return std::string(kind) + "-" + sha256_hex(id).substr(0, kNameDigits);
}

std::string path_of(const std::string& home, std::string_view kind, std::string_view id) {
  return directory_in(home) + "/" + name_of(kind, id);
}

using Member = std::string LeaseFacts::*;
constexpr std::array<std::pair<std::string_view, Member>, 9> kLines{{
    {"kind", &LeaseFacts::kind},
    {"id", &LeaseFacts::id},
    {"name", &LeaseFacts::name},
    {"target", &LeaseFacts::target},
    {"engine", &LeaseFacts::engine},
    {"profile", &LeaseFacts::profile},
    {"task", &LeaseFacts::task},
    {"extra", &LeaseFacts::extra},
    {"pool", &LeaseFacts::pool},
}};

// A task's id may hold anything; in a file of lines it may not.
std::string escaped(std::string_view text) {
  std::string line(text);
  boost::algorithm::replace_all(line, "\\", "\\\\");
  boost::algorithm::replace_all(line, "\n", "\\n");
  return line;
}

std::string unescaped(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 1 == line.size()) {
      text += line[i];
    } else {
      text += line[++i] == 'n' ? '\n' : line[i];
    }
  }
  return text;
}

std::string text_of(const LeaseFacts& facts) {
  std::string text;
  for (const auto& [name, member] : kLines) {
    text += std::string(name) + " " + escaped(facts.*member) + "\n";
  }
  return text + "keep " + (facts.keep ? "yes" : "no") + "\n";
}

std::optional<LeaseFacts> facts_in(std::string_view text) {
  LeaseFacts facts;
  while (!text.empty()) {
    std::string_view line = next_word(text, '\n');
    const std::string_view name = next_word(line);
    const std::string value = unescaped(line);
    if (name == "keep") facts.keep = value == "yes";
    for (const auto& [known, member] : kLines) {
      if (name == known) facts.*member = value;
    }
  }
  if (facts.kind.empty() || facts.id.empty()) return std::nullopt;
  return facts;
}

std::optional<LeaseFacts> read_facts(int file) {
  const auto text = os::read_whole(file, kLargestLease);
  return text ? facts_in(*text) : std::nullopt;
}

bool is_held(int file) {
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return false;
  return errno == EWOULDBLOCK;
}

std::optional<KnownLease> read_lease(const std::string& path) {
  const auto file = os::open_regular_file(path);
  if (!file) return std::nullopt;
  auto facts = read_facts(file->get());
  struct stat seen{};
  if (!facts || ::fstat(file->get(), &seen) < 0) return std::nullopt;
  return KnownLease{.facts = std::move(*facts),
                    .last_use = std::chrono::system_clock::from_time_t(seen.st_mtime),
                    .held = is_held(file->get())};
}

std::vector<KnownLease> read_leases(const std::string& home,
                                    const std::vector<std::string>& names) {
  std::vector<KnownLease> leases;
  for (const std::string& name : names) {
    if (auto lease = read_lease(directory_in(home) + "/" + name)) {
      leases.push_back(std::move(*lease));
    }
  }
  return leases;
}

LeaseIndex complete_index(const std::string& home) {
  LeaseIndex index(directory_in(home));
  index.complete([&] {
    std::vector<std::pair<std::string, LeaseFacts>> all;
    for (KnownLease& lease : known_leases(home)) {
      std::string name = name_of(lease.facts.kind, lease.facts.id);
      all.emplace_back(std::move(name), std::move(lease.facts));
    }
    return all;
  });
  return index;
}

}  // namespace

Result<Lease> Lease::take(const std::string& home, const LeaseFacts& facts) {
  for (const std::string& directory : {home + "/talaria", directory_in(home)}) {
    if (const auto made = os::make_private_directory(directory); !made) return fail(made.error());
  }
  const std::string path = path_of(home, facts.kind, facts.id);
  for (;;) {
    auto file = os::open_file(path, O_RDWR | O_CREAT, 0600);
    if (!file) return fail(file.error());
    if (::flock(file->get(), LOCK_SH) < 0) {
      if (errno == EINTR) continue;
      return fail(Error::from_errno("flock " + path));
    }
    if (!os::is_file_at(file->get(), path)) continue;  // forgotten meanwhile
    LeaseFacts said = read_facts(file->get()).value_or(LeaseFacts{});
    if (said.id.empty()) {
      const LeaseIndex index(directory_in(home));
      if (const auto added = index.add(facts, name_of(facts.kind, facts.id)); !added) {
        return fail(added.error());
      }
      if (const auto written = os::write_all(file->get(), text_of(facts)); !written) {
        return fail(written.error());
      }
      said = facts;
    }
    Lease lease(std::move(*file), home, std::move(said));
    lease.touch();
    return lease;
  }
}

void Lease::touch() { (void)::futimens(file_.get(), nullptr); }

void Lease::keep_for(std::chrono::seconds time) {
  timespec until{};
  (void)::clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += time.count();
  const timespec times[2] = {until, until};
  (void)::futimens(file_.get(), times);
}

void Lease::forget() { forget_lease(home_, facts_); }

void Lease::forget_if_last() {
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) == 0) forget();
}

std::vector<KnownLease> known_leases(const std::string& home) {
  std::vector<std::string> names = os::names_in(directory_in(home));
  // A program was killed before it had replaced a lease.
  std::erase_if(names, [](const std::string& name) { return name.ends_with(".new"); });
  return read_leases(home, names);
}

std::vector<KnownLease> leases_of_task(const std::string& home, std::string_view task) {
  std::vector<KnownLease> leases = read_leases(home, complete_index(home).of_task(task));
  std::erase_if(leases, [&](const KnownLease& lease) { return lease.facts.task != task; });
  return leases;
}

std::vector<KnownLease> leases_of_pool(const std::string& home, std::string_view pool) {
  std::vector<KnownLease> leases = read_leases(home, complete_index(home).of_pool(pool));
  std::erase_if(leases, [&](const KnownLease& lease) {
    return lease.facts.pool != pool || !lease.facts.waits();
  });
  return leases;
}

std::optional<KnownLease> find_lease(const std::string& home, std::string_view kind,
                                     std::string_view id) {
  return read_lease(path_of(home, kind, id));
}

// Programs that look at leases lock one that waits for moments only; one that is used stays locked,
// and does not wait any longer. The file is another one afterwards, so that those who opened it
// before see that they came too late.
Result<bool> claim_lease(const std::string& home, const LeaseFacts& facts) {
  const std::string path = path_of(home, facts.kind, facts.id);
  for (int attempt = 0; attempt < kClaimAttempts; ++attempt) {
    const auto file = os::open_regular_file(path);
    if (!file) return false;
    const auto said = read_facts(file->get());
    if (!said || !said->waits()) return false;
    if (::flock(file->get(), LOCK_EX | LOCK_NB) < 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return fail(Error::from_errno("flock " + path));
      std::this_thread::sleep_for(kClaimPause);
      continue;
    }
    if (!os::is_file_at(file->get(), path)) continue;
    const LeaseIndex index(directory_in(home));
    const std::string name = name_of(facts.kind, facts.id);
    if (const auto added = index.add(facts, name); !added) return fail(added.error());
    if (const auto written = os::replace_file(path, text_of(facts)); !written) {
      return fail(written.error());
    }
    index.remove(*said, name);
    return true;
  }
  return false;
}

void forget_lease(const std::string& home, const LeaseFacts& facts) {
  os::remove_file(path_of(home, facts.kind, facts.id));
  LeaseIndex(directory_in(home)).remove(facts, name_of(facts.kind, facts.id));
}

void clean_lease_index(const std::string& home) { LeaseIndex(directory_in(home)).clean(); }

}  // namespace talaria::environment
