// A secret of the controllers in the kit, which must not reach the target.
#pragma once

#include <string_view>

namespace talaria::front::check {

inline constexpr std::string_view kCheckSecretName = "PERPLEXITY_API_KEY";
inline constexpr std::string_view kCheckSecretValue = "talaria-check-must-not-see-this";

}  // namespace talaria::front::check
