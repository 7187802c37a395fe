#include "environment/singularity/instance_pool.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "base/sha256.h"
#include "environment/runner_image.h"
#include "environment/singularity/names.h"
#include "environment/warm_up.h"
#include "os/own_process.h"

namespace talaria::environment::singularity {
namespace {

constexpr std::size_t kPoolKeyDigits = 32;

std::string key_of(const InstanceMaker& maker, const Scratch& scratch) {
  const auto image = runner_image(os::machine_name());
  const std::string text = maker.engine().identity() + "\n" + scratch.directory + "\n" +
                           std::string(image ? image->digest : "") + "\n" + maker.settings();
  return sha256_hex(text).substr(0, kPoolKeyDigits);
}

class PoolInstances {
 public:
  PoolInstances(asio::any_io_executor executor, InstanceMaker maker, Scratch scratch,
                std::string key)
      : executor_(std::move(executor)),
        maker_(std::move(maker)),
        scratch_(std::move(scratch)),
        key_(std::move(key)) {}

  // A killed program leaves the directory of its overlay: the sweep finds the instance by that.
  Task<Result<LeaseFacts>> make() const {
    InstanceMaker maker = maker_;
    LeaseFacts facts = like();
    facts.id = facts.name = new_instance_name();
    facts.extra = maker.settings();
    if (const auto works = co_await maker.engine().check(); !works) co_return fail(works.error());
    const std::string overlay = pool_overlay_name(facts.id);
    const auto spec = co_await maker.prepare(overlay_directory(scratch_, overlay));
    if (!spec) co_return fail(spec.error());
    if (const auto made = make_overlay(scratch_, overlay); !made) co_return fail(made.error());
    const auto started = co_await maker.start(*spec, facts.id);
    const auto warm =
        started ? co_await warm_up_runner(executor_, maker.spec(), connector(facts.id)) : started;
    if (warm) co_return facts;
    co_await remove(facts);
    co_return fail(warm.error());
  }

  Task<std::optional<link::ByteStream>> connect(std::string instance) const {
    auto stream = co_await connector(instance)();
    if (!stream) co_return std::nullopt;
    co_return std::move(*stream);
  }

  Task<bool> keep_up(std::string instance) const { return keep_runner_up(connector(instance)); }

  Task<void> remove(LeaseFacts facts) const {
    const std::string overlay = overlay_directory(scratch_, pool_overlay_name(facts.id));
    co_await remove_pool_instance(maker_.engine(), overlay, facts.id);
  }

  LeaseFacts like() const {
    return {.kind = std::string(kInstanceLease),
            .target = "singularity",
            .engine = maker_.engine().identity(),
            .keep = false,
            .pool = key_};
  }

 private:
  link::LinkDriver::Connect connector(const std::string& instance) const {
    const auto carrier = std::make_shared<carrier::Carrier>(
        executor_, instance_carrier(maker_.engine(), instance, maker_.spec().lifetime));
    return [carrier] { return carrier->connect(); };
  }

  asio::any_io_executor executor_;
  InstanceMaker maker_;
  Scratch scratch_;
  std::string key_;
};

}  // namespace

std::optional<PoolSpec> instance_pool(const asio::any_io_executor& executor,
                                      const InstanceMaker& maker) {
  const EnvironmentSpec& spec = maker.spec();
  const auto scratch = maker.scratch();
  if (!spec.container.persistent || !scratch) return std::nullopt;
  const auto instances =
      std::make_shared<const PoolInstances>(executor, maker, *scratch, key_of(maker, *scratch));
  return PoolSpec{
      .home = spec.home,
      .like = instances->like(),
      .name = maker.image(),
      .size = spec.container.pool_size,
      .lifetime = spec.lifetime,
      .make = [instances] { return instances->make(); },
      .connect = [instances](const LeaseFacts& facts) { return instances->connect(facts.id); },
      .keep_up = [instances](const LeaseFacts& facts) { return instances->keep_up(facts.id); },
      .remove = [instances](LeaseFacts facts) { return instances->remove(std::move(facts)); }};
}

Task<bool> remove_pool_instance(SingularityEngine engine, std::string overlay, std::string name) {
  if (!co_await engine.stop(std::move(name))) co_return false;
  std::error_code ignored;
  std::filesystem::remove_all(overlay, ignored);
  co_return true;
}

}  // namespace talaria::environment::singularity
