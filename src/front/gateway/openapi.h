// The OpenAPI 3.1 document of the gateway. A test compares it with the answers of the gateway.
#pragma once

#include <string>

#include <boost/json/object.hpp>

namespace talaria::front::gateway {

std::string openapi_document();

// Its parts: the routes with their answers, and the schemas.
boost::json::object openapi_paths();
boost::json::object openapi_components();

}  // namespace talaria::front::gateway
