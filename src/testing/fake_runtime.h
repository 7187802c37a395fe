// A runtime whose only target is a fake.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/asio_runtime.h"
#include "api/core.h"
#include "testing/fake_environment.h"
#include "testing/open_policy.h"

namespace talaria::test {

// `judge`: what it has against commands.
inline AsioRuntime fake_runtime(const asio::any_io_executor& executor,
                                const std::shared_ptr<FakeTarget>& fake,
                                std::vector<std::string> variables = {},
                                policy::Judge judge = nothing_against) {
  host::Caller caller = fake_caller(std::move(variables));
  Result<host::Config> config = read_config(caller);
  return AsioRuntime(std::make_shared<AsioRuntime::Core>(
      executor, std::move(caller), std::move(config),
      std::vector<host::Backend>{fake_backend(fake)}, std::move(judge)));
}

}  // namespace talaria::test
