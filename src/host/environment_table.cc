#include "host/environment_table.h"

#include <optional>
#include <utility>

#include "base/event.h"
#include "base/limits.h"

namespace talaria::host {

// Where an environment is, will be, or turned out not to be.
struct EnvironmentTable::Place {
  std::shared_ptr<environment::Environment> environment;
  std::shared_ptr<int> lent = std::make_shared<int>(0);
  std::optional<Error> failure;
  AsyncEvent over;  // one of the two above is there
  std::set<std::string> tasks;
  std::chrono::system_clock::time_point last_use;
};

// The duty to end the wait for a place, however making its environment ends.
class EnvironmentTable::Making {
 public:
  Making(std::shared_ptr<Places> places, std::string id, std::shared_ptr<Place> place)
      : places_(std::move(places)), id_(std::move(id)), place_(std::move(place)) {}
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;
  ~Making() {
    if (!place_->environment) {
      if (!place_->failure) place_->failure.emplace(ErrorKind::system, "it was never finished");
      const auto found = places_->find(id_);
      if (found != places_->end() && found->second == place_) places_->erase(found);
    }
    place_->over.set();
  }

 private:
  std::shared_ptr<Places> places_;
  std::string id_;
  std::shared_ptr<Place> place_;
};

Task<Result<std::shared_ptr<environment::Environment>>> EnvironmentTable::get(std::string id,
                                                                              std::string task,
                                                                              const Make& make) {
  const auto [entry, is_new] = places_->try_emplace(id);
  if (is_new) entry->second = std::make_shared<Place>();
  const std::shared_ptr<Place> place = entry->second;
  if (is_new) {
    const auto places = places_;
    const auto late = late_;
    const Making making(places, id, place);
    Result<std::unique_ptr<environment::Environment>> made = co_await make();
    if (made) {
      place->environment = std::move(*made);
      const auto now = places->find(id);
      const bool was_taken = now == places->end() || now->second != place;
      if (was_taken && *late) (*late)(id, {place->environment, place->lent});
    } else {
      place->failure = made.error();
    }
  }
  while (!place->environment && !place->failure) co_await place->over.wait();
  if (place->failure) co_return fail(*place->failure);
  if (place->tasks.size() < kMaxListedTasks) place->tasks.insert(std::move(task));
  co_return lend(place);
}

// A pointer of its own for each call, so that the end of the call is noticed, too.
std::shared_ptr<environment::Environment> EnvironmentTable::lend(
    const std::shared_ptr<Place>& place) {
  place->last_use = std::chrono::system_clock::now();
  ++*place->lent;
  return {place->environment.get(),
          [place, environment = place->environment](environment::Environment*) {
            place->last_use = std::chrono::system_clock::now();
            --*place->lent;
          }};
}

std::shared_ptr<environment::Environment> EnvironmentTable::peek(const std::string& id) const {
  const auto found = places_->find(id);
  return found == places_->end() ? nullptr : found->second->environment;
}

std::vector<std::string> EnvironmentTable::idle_since(
    std::chrono::system_clock::time_point time) const {
  std::vector<std::string> ids;
  for (const auto& [id, place] : *places_) {
    if (place->environment && *place->lent == 0 && place->last_use < time) ids.push_back(id);
  }
  return ids;
}

void EnvironmentTable::touch(const std::string& id) {
  const auto found = places_->find(id);
  if (found != places_->end()) found->second->last_use = std::chrono::system_clock::now();
}

std::vector<EnvironmentInfo> EnvironmentTable::list() const {
  std::vector<EnvironmentInfo> all;
  for (const auto& [id, place] : *places_) {
    if (!place->environment) continue;
    all.push_back({.id = id,
                   .target = std::string(place->environment->target()),
                   .transport = std::string(place->environment->transport()),
                   .place = place->environment->place(),
                   .persistent = place->environment->persistent(),
                   .tasks = place->tasks,
                   .last_use = place->last_use,
                   .calls = static_cast<std::size_t>(*place->lent)});
  }
  return all;
}

EnvironmentTable::Taken EnvironmentTable::take(const std::string& id) {
  const auto found = places_->find(id);
  if (found == places_->end()) return {};
  const std::shared_ptr<Place> place = found->second;
  places_->erase(found);
  return {.environment = place->environment, .lent = place->lent};
}

}  // namespace talaria::host
