#include "environment/docker/sweep.h"

#include <algorithm>
#include <charconv>

#include "environment/docker/container.h"
#include "environment/docker/labels.h"

namespace talaria::environment::docker {
namespace {

using Clock = std::chrono::system_clock;
using std::chrono::seconds;

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
                                            const SweepSpec& sweep, Clock::time_point now) {
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
  if (container.keep == "no") {
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
  for (const InspectedContainer& one : known) {
    const auto lease = find_lease(sweep.home, kContainerLease, one.id);
    auto reason = reason_to_remove(one, lease, sweep, Clock::now());
    if (!reason) continue;
    Swept& entry = swept.emplace_back(Swept{.what = name_of(one), .why = std::move(*reason)});
    if (sweep.dry_run) continue;
    const auto removed = co_await engine.remove(one.id, seconds(30));
    entry.removed = removed.has_value();
    if (!removed) entry.error = removed.error();
  }
  // Leases of containers that are gone are of no use.
  for (const KnownLease& lease : known_leases(sweep.home)) {
    const LeaseFacts& facts = lease.facts;
    const bool is_ours = facts.kind == kContainerLease && facts.engine == engine.identity() &&
                         facts.profile == sweep.profile && !lease.held;
    const bool is_there =
        std::ranges::find(known, facts.id, &InspectedContainer::id) != known.end();
    if (is_ours && !is_there && !sweep.dry_run) forget_lease(sweep.home, facts);
  }
  co_return swept;
}

}  // namespace talaria::environment::docker
