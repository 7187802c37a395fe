#include "tools/tool.h"

#include <memory>
#include <utility>

namespace talaria::tool {

host::ConfigPtr ToolCall::config_or_defaults() const {
  return config ? *config : std::make_shared<const host::Config>();
}

ToolCall begin_call(const Services& services, CallContext context, CancelToken cancel) {
  if (context.task.empty()) context.task = host::kDefaultTask;
  Result<host::ConfigPtr> config = services.settings.of(context.task);
  return {.services = services,
          .context = std::move(context),
          .config = std::move(config),
          .cancel = std::move(cancel)};
}

}  // namespace talaria::tool
