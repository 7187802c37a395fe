// The gateway's interface for programs: an OpenAPI 3.1 document. A test holds it against what the
// gateway answers.
#pragma once

#include <string>

#include <boost/json/object.hpp>

namespace talaria::front::gateway {

std::string openapi_document();

// Its halves: every route and what it may answer, and what goes to and fro.
boost::json::object openapi_paths();
boost::json::object openapi_components();

}  // namespace talaria::front::gateway
