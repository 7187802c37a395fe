// What is written for a setting, turned into what it means: a number, a truth, a text, a list.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "host/config/setting.h"

namespace talaria::host {

namespace json = boost::json;

// As it was written.
struct WrittenValue {
  std::string text;
  bool structured = false;  // a list or a mapping of config.yaml, as JSON
};

// The value, or what was expected instead: "integer", "'stream' or 'batch'", ...
std::expected<json::value, std::string> parse_value(const Setting& setting,
                                                    const WrittenValue& written);

// Whether the text is a common spelling of true or false. Any other text means false.
bool is_plain_truth(std::string_view text);

}  // namespace talaria::host
