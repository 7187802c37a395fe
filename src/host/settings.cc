#include "host/settings.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/message.h"
#include "base/sha256.h"
#include "os/random.h"

namespace talaria::host {

namespace {

constexpr std::size_t kPlaceDigits = 8;
constexpr std::string_view kLocal = "local";
// What a message calls a setting that was changed while the program runs.
constexpr std::string_view kChanged = "settings.set";

// Which of the places that the name of a target may mean; empty: there is only one.
std::string place_in(const Config& config) {
  if (config.target == "carrier") return config.carrier.command;
  if (config.target == "ssh") return config.ssh.address() + "\n" + config.ssh.config_file;
  return {};
}

std::string store_key(std::string_view target, const std::string& place, const std::string& id) {
  const std::string mark = place.empty() ? "" : ":" + sha256_hex(place).substr(0, kPlaceDigits);
  return std::string(target) + mark + "/" + id;
}

}  // namespace

Settings::Settings(Caller caller, Result<Config> config, OverrideStore::Look look)
    : caller_(std::move(caller)),
      config_(std::make_shared<const Result<Config>>(std::move(config))),
      target_(*config_ ? (*config_)->target : configured_target(caller_)),
      stored_overrides_(*config_ ? (*config_)->home : "", std::move(look)),
      variables_(caller_, *config_) {}

Result<ConfigPtr> Settings::of(const std::string& task) {
  if (!*config_) return fail(config_->error());
  const Result<bool> rewritten = stored_overrides_.refresh();
  if (!rewritten) return fail(rewritten.error());
  if (*rewritten) changed(overrides_.set_stored(stored_overrides_.overrides()));
  return known(task);
}

// As of the last look.
Result<ConfigPtr> Settings::known(const std::string& task) const {
  if (!*config_) return fail(config_->error());
  std::vector<ConfigFlag> flags = overrides_.flags_of(task);
  if (flags.empty()) return ConfigPtr(config_, &**config_);
  if (const auto made = overridden_.find(task); made != overridden_.end()) return made->second;
  Result<Config> config = config_with(**config_, caller_, std::move(flags));
  if (!config) return fail(explained(task, config.error()));
  if (overridden_.size() >= kMaxListedTasks) overridden_.clear();
  return overridden_[task] = std::make_shared<const Config>(std::move(*config));
}

Result<void> Settings::change(const std::vector<Change>& changes) {
  if (!*config_) return fail(config_->error());
  std::map<std::string_view, std::string> wanted = changed_;
  for (const Change& one : changes) {
    wanted.erase(one.setting);
    if (one.value) wanted.emplace(one.setting, *one.value);
  }
  const auto& first = former_.empty() ? config_ : former_.front();
  std::vector<ConfigFlag> flags;
  for (const auto& [name, value] : wanted) flags.push_back({name, kChanged, value});
  Result<Config> config = config_with(**first, caller_, std::move(flags));
  if (!config) return fail(config.error());
  former_.push_back(
      std::exchange(config_, std::make_shared<const Result<Config>>(std::move(*config))));
  changed_ = std::move(wanted);
  target_ = (*config_)->target;
  std::vector<std::string> misfits;
  if (std::ranges::any_of(changes, &Change::of_environment)) {
    misfits = overrides_.tasks();
    misfits.emplace_back(kDefaultTask);
  }
  changed(misfits);
  return {};
}

std::string Settings::target_of(const std::string& task) const {
  for (const ConfigFlag& flag : overrides_.flags_of(task)) {
    if (flag.setting == "TERMINAL_ENV") return flag.value;
  }
  return target_;
}

std::string Settings::environment_id(const std::string& task) const {
  std::string id = overrides_.environment_id(task);
  if (id != kDefaultTask || task == kDefaultTask || target_of(task) != kLocal || !*config_) {
    return id;
  }
  return runners().shared_environment(task);
}

std::string Settings::runner_of(const std::string& environment_id) const {
  return runners().directory_of(environment_id);
}

const RunnerChoice& Settings::runners() const {
  if (!runners_) runners_.emplace((*config_)->home, (*config_)->local_runners);
  return *runners_;
}

std::string Settings::environment_key(const std::string& task) const {
  return environment_key(target_of(task), environment_id(task));
}

std::string Settings::environment_key(std::string_view target, const std::string& id) const {
  const Result<ConfigPtr> config = known(id);
  if (config && (*config)->target == target) return environment_key(**config, id);
  return store_key(target, "", id);
}

std::string Settings::environment_key(const Config& config, const std::string& id) {
  return store_key(config.target, place_in(config), id);
}

Result<ConfigPtr> Settings::at_target(const std::string& task, const std::string& target) const {
  const Result<ConfigPtr> config = known(task);
  if (!config) return config;
  Result<Config> there =
      config_with(**config, caller_,
                  {{.setting = "TERMINAL_ENV", .flag = "target of a process", .value = target}});
  if (!there) return fail(there.error());
  return std::make_shared<const Config>(std::move(*there));
}

Error Settings::explained(const std::string& task, const Error& error) const {
  if (overrides_.flags_of(task).empty()) return error;
  const bool stored = stored_overrides_.overrides().contains(task);
  return Error(
      error.kind(),
      "task '" + task + "', with its overrides: " + as_sentence(error.message()) +
          (stored ? " Remove the overrides with 'talaria env override " + task + " --clear'."
                  : ""));
}

Result<void> Settings::override_task(const std::string& task,
                                     const boost::json::object& overrides) {
  Result<TaskOverride> said = parse_new_override(overrides);
  if (!said) return fail(said.error());
  said->id = os::random_hex(8);
  changed(overrides_.set(task, std::move(*said)));
  return {};
}

void Settings::clear_override(const std::string& task) { changed(overrides_.set(task, {})); }

void Settings::on_misfit(std::function<void(const std::string& id)> listener) {
  on_misfit_ = std::move(listener);
}

void Settings::changed(const std::vector<std::string>& misfits) {
  overridden_.clear();
  for (const std::string& id : misfits) on_misfit_(id);
}

std::optional<SessionMove> Settings::begin_move(const std::string& task) {
  const Result<ConfigPtr> config = known(task);
  const TaskOverride* said = config ? overrides_.unmoved(task) : nullptr;
  if (!said) return std::nullopt;
  SessionMove move{.directory = (*config)->cwd, .id = said->id};
  overrides_.set_moved(task, move.id, true);
  return move;
}

void Settings::end_move(const std::string& task, const SessionMove& move, bool went) {
  overrides_.set_moved(task, move.id, went);
  if (!went || !stored_overrides_.overrides().contains(task)) return;
  // If it cannot be written, the next process moves the session once more.
  (void)stored_overrides_.mark_moved(task, move.id);
}

}  // namespace talaria::host
