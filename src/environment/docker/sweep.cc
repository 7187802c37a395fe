#include "environment/docker/sweep.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>

#include "environment/docker/container.h"
#include "environment/docker/labels.h"
#include "environment/docker/task_directory.h"
#include "environment/warm_pool.h"
#include "os/directory.h"

namespace talaria::environment::docker {
namespace {

using Clock = std::chrono::system_clock;
using std::chrono::seconds;

constexpr auto kJustMade = seconds(60);
constexpr auto kLongestWait = seconds(600);  // in a pool that no program fills

// Digits of `text` from `at` on; nothing if they are none.
std::optional<int> number_at(std::string_view text, std::size_t at, std::size_t digits) {
  if (at + digits > text.size()) return std::nullopt;
  int value = 0;
  const char* begin = text.data() + at;
  const auto [end, error] = std::from_chars(begin, begin + digits, value);
  if (error != std::errc{} || end != begin + digits) return std::nullopt;
  return value;
}

// How far behind UTC the clock of the text is.
std::optional<seconds> zone_of(std::string_view zone) {
  if (zone == "Z" || zone == " +0000 UTC") return seconds(0);
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return std::nullopt;
  const auto hours = number_at(zone, 1, 2);
  const auto minutes = number_at(zone, 4, 2);
  if (!hours || !minutes) return std::nullopt;
  return seconds((zone[0] == '+' ? 1 : -1) * (*hours * 3600 + *minutes * 60));
}

std::optional<std::string> if_older(seconds limit, Clock::time_point now,
                                    std::optional<Clock::time_point> then, const char* what) {
  if (!then) return std::nullopt;
  const auto age = std::chrono::duration_cast<seconds>(now - *then);
  if (age < limit) return std::nullopt;
  return what + (" " + ago(age));
}

std::string name_of(const InspectedContainer& container) {
  return "container " + (container.name.empty() ? container.id.substr(0, 12) : container.name);
}

// Whether there is nothing for it at an engine, as far as is known here: of one that is being made
// the lease is written last.
bool is_abandoned(const std::string& directory, const std::string& container,
                  const std::vector<KnownLease>& leases, const SweepSpec& sweep) {
  const auto has_name = [&](const KnownLease& lease) { return lease.facts.name == container; };
  if (std::ranges::any_of(leases, has_name)) return false;
  struct stat seen{};
  if (::lstat(directory.c_str(), &seen) < 0) return false;
  return Clock::now() - Clock::from_time_t(seen.st_mtime) >= std::min(sweep.max_age, kLongestWait);
}

// The directories of containers that waited and are gone.
void sweep_pool_directories(const std::vector<InspectedContainer>& known, const SweepSpec& sweep) {
  if (sweep.dry_run || sweep.sandbox_dir.empty()) return;
  const std::string prefix = pool_directory_prefix(sweep.target);
  const std::string parent = sweep.sandbox_dir + "/docker/";
  const std::vector<KnownLease> leases = known_leases(sweep.home);
  for (const std::string& name : os::names_in(parent)) {
    if (!name.starts_with(prefix)) continue;
    const std::string container = name.substr(prefix.size());
    if (std::ranges::find(known, container, &InspectedContainer::name) != known.end()) continue;
    if (is_abandoned(parent + name, container, leases, sweep)) remove_pool_directory(parent + name);
  }
}

// Leases of containers that are gone are of no use, and those of pools that nobody wants.
void sweep_leases(const std::vector<InspectedContainer>& known, const std::string& engine,
                  const SweepSpec& sweep) {
  if (sweep.dry_run) return;
  for (const KnownLease& lease : known_leases(sweep.home)) {
    const LeaseFacts& facts = lease.facts;
    const bool is_ours = (facts.kind == kContainerLease || facts.kind == kPoolLease) &&
                         facts.engine == engine && facts.profile == sweep.profile && !lease.held;
    const bool is_there =
        std::ranges::find(known, facts.id, &InspectedContainer::id) != known.end();
    // Nobody holds one that waits; the engine may have been asked before it was made.
    if (!is_ours || is_there ||
        (facts.kind == kContainerLease && facts.waits() && lease.age() < kJustMade))
      continue;
    forget_lease(sweep.home, facts);
  }
}

}  // namespace

std::optional<Clock::time_point> parse_engine_time(std::string_view text) {
  const auto year = number_at(text, 0, 4);
  const auto month = number_at(text, 5, 2);
  const auto day = number_at(text, 8, 2);
  const auto hour = number_at(text, 11, 2);
  const auto minute = number_at(text, 14, 2);
  const auto second = number_at(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second || *year < 1970) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  std::string_view rest = text.substr(19);
  if (rest.starts_with('.'))
    rest.remove_prefix(std::min(rest.find_first_not_of("0123456789", 1), rest.size()));
  const auto zone = zone_of(rest);
  if (!date.ok() || !zone) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         seconds(*second) - *zone;
}

std::optional<std::string> reason_to_remove(const InspectedContainer& container,
                                            const std::optional<KnownLease>& lease,
                                            const SweepSpec& sweep, Clock::time_point now,
                                            bool wanted) {
  const std::string& state = container.state;
  if (state == "exited" || state == "dead") {
    return if_older(sweep.max_age, now, parse_engine_time(container.finished_at), "it ended");
  }
  const auto created = parse_engine_time(container.created);
  if (state == "created" || state == "configured" || state == "initialized") {
    return if_older(sweep.max_age, now, created, "it was made, but never started,");
  }
  if (state != "running" || (lease && lease->held)) return std::nullopt;
  // Only its own home knows whether a program uses it.
  if (!container.home.empty() && container.home != sweep.home_mark) return std::nullopt;
  const auto last_use = lease ? std::optional(lease->last_use) : created;
  const bool has_task = lease && !lease->facts.task.empty();
  if (!container.pool.empty() && !has_task) {
    const bool waits = lease && lease->facts.waits();
    if (wanted && waits) return std::nullopt;
    // One without a lease may have been made just now.
    const seconds limit = waits ? sweep.lifetime : sweep.max_age;
    return if_older(std::min(limit, kLongestWait), now, last_use,
                    "it waited for a task, but no program uses its pool; it was made");
  }
  if (container.pool.empty() ? container.keep == "no" : !lease->facts.keep) {
    return if_older(sweep.lifetime, now, last_use,
                    "the program that made it is gone, and it was last used");
  }
  if (!sweep.running) return std::nullopt;
  return if_older(sweep.max_age, now, last_use, "it was last used");
}

Task<Result<std::vector<Swept>>> sweep_containers(DockerConfig config, SweepSpec sweep) {
  const auto program = find_engine(sweep.target, config.binary);
  if (!program) co_return fail(program.error());
  const Engine engine(*program);
  const auto listed =
      co_await engine.list({"hermes-agent=1", "hermes-profile=" + label_value(sweep.profile)});
  if (!listed) co_return fail(listed.error());
  std::vector<std::string> ids;
  for (const ListedContainer& one : *listed) ids.push_back(one.id);
  std::vector<InspectedContainer> known;
  if (!ids.empty()) {
    auto inspected = co_await engine.inspect(std::move(ids));
    if (!inspected) co_return fail(inspected.error());
    known = std::move(*inspected);
  }
  std::vector<Swept> swept;
  const std::vector<KnownLease> leases = known_leases(sweep.home);
  for (const InspectedContainer& one : known) {
    const auto lease = find_lease(sweep.home, kContainerLease, one.id);
    const bool wanted = !one.pool.empty() && is_wanted(leases, one.pool);
    auto reason = reason_to_remove(one, lease, sweep, Clock::now(), wanted);
    if (!reason) continue;
    Swept& entry = swept.emplace_back(Swept{.what = name_of(one), .why = std::move(*reason)});
    if (sweep.dry_run) continue;
    if (lease && lease->facts.waits() && !claim_to_remove(sweep.home, lease->facts)) {
      swept.pop_back();  // a task has got it
      continue;
    }
    const auto removed = co_await engine.remove(one.id, seconds(30));
    entry.removed = removed.has_value();
    if (!removed) entry.error = removed.error();
  }
  sweep_leases(known, engine.identity(), sweep);
  sweep_pool_directories(known, sweep);
  co_return swept;
}

}  // namespace talaria::environment::docker
