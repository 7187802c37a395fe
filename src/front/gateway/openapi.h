// The gateway's interface for programs: an OpenAPI 3.1 document. A test holds it against what the
// gateway answers.
#pragma once

#include <string>

namespace talaria {

extern const char* const kOpenapiPaths;
extern const char* const kOpenapiComponents;

inline std::string openapi_document() { return std::string(kOpenapiPaths) + kOpenapiComponents; }

}  // namespace talaria
