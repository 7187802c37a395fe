// LineParams: the parameters of one method call, after they were compared with what the method
// takes. A method says that as words: "id!:text window:whole env:map".
//
//   name:type   an optional parameter
//   name!:type  a required one
//   name?:type  one for which null means something (else null is the same as absent); also name!?
//
// Types: text, name (a text that is not empty), texts (a list of them), flag, whole (a number of 0
// or more), number (0 or more), time (a number of seconds, or "2m"), base64, map (an object of
// texts), object, list, size ({"rows","cols"}), who (a text or a whole number), any.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/result.h"

namespace talaria::front::lines {

namespace json = boost::json;

class LineParams {
 public:
  LineParams() = default;

  // Checks `given` against what `method` takes.
  static Result<LineParams> read(std::string_view method, std::string_view takes,
                                 json::object given);

  // All of these expect the type that the method declares.
  bool has(std::string_view name) const { return values_.contains(name); }
  const json::value* find(std::string_view name) const { return values_.if_contains(name); }
  std::string text(std::string_view name, std::string_view absent = {}) const;
  std::optional<std::string> given_text(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  bool flag(std::string_view name, bool absent = false) const;
  std::optional<std::uint64_t> whole(std::string_view name) const;
  std::optional<double> number(std::string_view name) const;
  std::optional<std::chrono::milliseconds> time(std::string_view name) const;
  std::optional<std::string> bytes(std::string_view name) const;    // of a base64
  std::vector<std::string> variables(std::string_view name) const;  // of a map, as NAME=value
  std::string who(std::string_view name) const;
  // Takes a long text or an object out.
  json::value take(std::string_view name);

  // The same within bounds; an Error names them.
  Result<std::uint64_t> whole_within(std::string_view name, std::uint64_t absent,
                                     std::uint64_t least, std::uint64_t most) const;
  Result<std::chrono::milliseconds> time_within(std::string_view name,
                                                std::chrono::milliseconds absent,
                                                std::chrono::milliseconds least,
                                                std::chrono::milliseconds most) const;
  // The place of a text among `words`, which are separated by blanks; 0 if it is absent.
  Result<std::size_t> choice(std::string_view name, std::string_view words) const;

 private:
  explicit LineParams(json::object values) : values_(std::move(values)) {}

  json::object values_;
};

// "params.NAME: WHAT", of kind bad_request.
Error param_error(std::string_view name, std::string_view what);

}  // namespace talaria::front::lines
