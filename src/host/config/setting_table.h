// Every setting there is, as data. The documentation, `talaria config` and the checks are made from
// this one table. To add a setting: write its row.
#pragma once

#include <span>
#include <string_view>

#include "host/config/setting.h"

namespace talaria::host {

std::span<const Setting> all_settings();

// By the name() of one there is.
const Setting& setting(std::string_view name);

// Nothing if there is none.
const Setting* find_key(std::string_view key);
const Setting* find_variable(std::string_view variable);

}  // namespace talaria::host
