// An event as an agent gets it: as JSON, and as the text a model reads. Both are clean of escape
// sequences, and of secrets unless the configuration wants them.
#pragma once

#include <talaria/event.h>

#include <string>

#include <boost/json/object.hpp>

namespace talaria::tool {

namespace json = boost::json;

// {"id","type","session_id","session_key","command", ...}, and `text`: event_text() of it.
// `mask`: without secrets.
json::object view_of(const ProcessEvent& event, bool mask = true);

std::string notification(const ProcessEvent& event, bool mask = true);

}  // namespace talaria::tool
