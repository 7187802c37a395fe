// FakeCloud: a fake of Modal or Daytona (README.md) for one test, that really runs what it is told
// to. It ends with the object, and all its sandboxes with it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "support/http_test_client.h"
#include "support/program.h"
#include "support/world.h"

namespace talaria::test {

namespace json = boost::json;

class FakeCloud {
 public:
  // Why there can be none here: no Node, no modules. "" if there can.
  static std::string why_not();

  // "modal" or "daytona", with options of its fake.cjs; its files are in a directory of the world.
  FakeCloud(World& world, std::string name, const std::vector<std::string>& options = {});

  // Sets the service's address and the account for every program of the world.
  void use(World& world) const;

  const std::string& url() const { return url_; }
  std::string said(std::string_view field) const;  // of the line it began with: "token_id", ...

  // See fakes/control.cjs for what these take and give.
  void fault(const json::object& fault) { tell("POST", "/faults", fault); }
  void forget_faults() { tell("DELETE", "/faults", {}); }
  void expire(std::string_view tokens) { tell("POST", "/expire", {{"tokens", tokens}}); }
  void vanish(std::string_view sandbox) { tell("POST", "/vanish", {{"sandbox", sandbox}}); }
  void mark(std::string_view operation) { tell("POST", "/mark", {{"operation", operation}}); }
  json::array sandboxes();  // those that are there now
  std::string normal();     // the requests so far, to compare clients by
  std::vector<json::object> requests(std::string_view method = {});  // all, or those of one name

 private:
  std::string tell(const std::string& method, const std::string& path, const json::object& body);

  std::string name_;
  std::unique_ptr<Program> program_;
  json::object about_;
  std::string url_;
  std::unique_ptr<HttpTestClient> control_;
};

}  // namespace talaria::test
