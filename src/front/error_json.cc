#include "front/error_json.h"

#include <string_view>

#include <boost/json/array.hpp>

namespace talaria::front {
namespace {

std::string_view by_name(Denial::By by) {
  switch (by) {
    case Denial::By::hardline:
      return "hardline";
    case Denial::By::configuration:
      return "configuration";
    case Denial::By::person:
      return "person";
    case Denial::By::program:
      return "program";
    case Denial::By::nobody:
      break;
  }
  return "nobody";
}

boost::json::object describe(const Denial& denial) {
  boost::json::object shown{{"by", by_name(denial.by)},
                            {"rule", denial.rule},
                            {"rules", boost::json::array(denial.rules.begin(), denial.rules.end())},
                            {"description", denial.description},
                            {"approval", denial.approval}};
  if (!denial.words.empty()) shown["words"] = denial.words;
  return shown;
}

}  // namespace

boost::json::object describe(const Error& error) {
  boost::json::object shown{{"kind", kind_name(error.kind())}, {"message", error.message()}};
  if (error.reason() != ErrorReason::none) shown["reason"] = reason_name(error.reason());
  if (error.denial() != nullptr) shown["denial"] = describe(*error.denial());
  return shown;
}

}  // namespace talaria::front
