// What a sandbox begins with: an image that Modal has, a Dockerfile, or an image of a registry.
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "base/result.h"

namespace talaria::environment::modal {

namespace json = boost::json;

// As `talaria-modal create` takes it: {"id"} for "im-...", else {"layers"}: the lines of the
// Dockerfile of that path, or those that make Modal use the image of that name.
Result<json::object> modal_image(const std::string& image);

// The lines of a Dockerfile as they are. Refused if it needs files of this machine, which Modal
// does not have.
Result<json::array> dockerfile_lines(const std::string& text, const std::string& path);

}  // namespace talaria::environment::modal
