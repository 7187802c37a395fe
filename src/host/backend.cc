#include "host/backend.h"

#include <utility>

namespace talaria::host {
namespace {

Task<Backend::Made> at_once(Backend::Made made) { co_return std::move(made); }

}  // namespace

Backend::Backend(std::string its_name, Make its_make)
    : name(std::move(its_name)), make(std::move(its_make)) {}

Backend::Backend(std::string its_name, MakeAtOnce its_make)
    : name(std::move(its_name)),
      make([its_make = std::move(its_make)](const EnvironmentRequest& request) {
        return at_once(its_make(request));
      }) {}

}  // namespace talaria::host
