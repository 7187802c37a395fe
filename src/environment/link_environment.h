// LinkEnvironment: an Environment whose commands run at a runner, over a link. Every backend that
// can carry bytes is one of these with a Connect of its own.
#pragma once

#include <memory>
#include <string>

#include "environment/environment.h"
#include "link/driver.h"

namespace talaria {

class LinkEnvironment final : public Environment {
 public:
  LinkEnvironment(const asio::any_io_executor& executor, std::string target,
                  LinkDriver::Connect connect, std::uint32_t batch_ms = 0);

  std::string_view target() const override { return target_; }
  std::string_view transport() const override { return batch_ms_ > 0 ? "batch" : "link"; }
  Task<Result<CommandOutcome>> run(CommandSpec spec, CancelToken cancel) override;

  LinkDriver& driver() { return *driver_; }

 private:
  std::string target_;
  std::uint32_t batch_ms_;
  std::shared_ptr<LinkDriver> driver_;
};

}  // namespace talaria
