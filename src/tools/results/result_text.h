// A tool's result as a text to page through. JSON is one line, of which read_file shows the first
// two thousand characters; here a text in it has its lines, and a list an item per line.
#pragma once

#include <string>

#include <boost/json/object.hpp>

namespace talaria::tool {

namespace json = boost::json;

// "name: value" for what is short, as JSON; a long text stands as it is below its name, a long list
// or object is taken apart: "results[0].content:".
std::string result_text(const json::object& result);

}  // namespace talaria::tool
