#include "api/asio_home_sandboxes.h"

#include <utility>

#include "api/checks.h"
#include "api/core.h"
#include "api/engine_files.h"
#include "base/keep_alive.h"
#include "sandboxes/home_sandboxes.h"

namespace talaria {
namespace {

Result<void> check_wish(const HomeSandboxWish& wish) {
  for (const auto& fine : {check_text("target", wish.target), check_text("image", wish.spec.image),
                           check_text("cwd", wish.spec.cwd), check_variables(wish.variables)}) {
    if (!fine) return fine;
  }
  return {};
}

Task<Result<HomeSandbox>> refused(Error error) { co_return fail(std::move(error)); }

}  // namespace

AsioHomeSandboxes::AsioHomeSandboxes(const AsioRuntime& runtime)
    : sandboxes_(std::make_shared<sandboxes::HomeSandboxes>(runtime.core()->executor(),
                                                            runtime.core()->services(),
                                                            runtime.core(), remove_engine_files)) {}

Task<Result<HomeSandbox>> AsioHomeSandboxes::create(HomeSandboxWish wish) {
  if (const auto fine = check_wish(wish); !fine) return refused(fine.error());
  sandboxes::HomeSandboxRequest request{.spec = std::move(wish.spec),
                                        .target = std::move(wish.target),
                                        .name = std::move(wish.name),
                                        .variables = std::move(wish.variables),
                                        .key = std::move(wish.key)};
  return keep_alive(sandboxes_, sandboxes_->create(std::move(request)));
}

Result<HomeSandbox> AsioHomeSandboxes::find(const std::string& id) { return sandboxes_->find(id); }

std::vector<HomeSandbox> AsioHomeSandboxes::list() { return sandboxes_->list(); }

Result<std::shared_ptr<void>> AsioHomeSandboxes::use(const std::string& id) {
  return sandboxes_->use(id);
}

Task<Result<bool>> AsioHomeSandboxes::remove(std::string id) {
  return keep_alive(sandboxes_, sandboxes_->remove(std::move(id)));
}

}  // namespace talaria
