// What an exception says: for the few places that catch one.
#pragma once

#include <exception>
#include <string>

namespace talaria {

std::string told(const std::exception_ptr& thrown);

}  // namespace talaria
