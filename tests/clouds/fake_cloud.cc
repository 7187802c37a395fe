#include "clouds/fake_cloud.h"

#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace talaria::test {
namespace {

constexpr std::chrono::seconds kStartLimit{60};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::uint16_t port_of(const std::string& address) {
  return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

}  // namespace

std::string FakeCloud::why_not() {
  for (const char* name : {"TALARIA_NODE", "TALARIA_CLOUD_MODULES"}) {
    if (variable(name).empty()) return "no Node or no modules for fake clouds (tests/engines/node)";
  }
  return "";
}

FakeCloud::FakeCloud(World& world, std::string name, const std::vector<std::string>& options)
    : name_(std::move(name)) {
  ProgramSpec spec = world.spec({});
  spec.argv = {variable("TALARIA_NODE"),
               std::string(TALARIA_FAKE_CLOUDS) + "/" + name_ + "/fake.cjs",
               world.directory("fake-" + name_)};
  spec.argv.insert(spec.argv.end(), options.begin(), options.end());
  spec.env.push_back("NODE_PATH=" + variable("TALARIA_CLOUD_MODULES"));
  spec.keep_stdin_open = true;
  program_ = std::make_unique<Program>(spec);
  if (!program_->read_until_contains("\n", kStartLimit)) {
    throw std::runtime_error("no fake of " + name_ + ": " + program_->err());
  }
  about_ = json::parse(program_->out().substr(0, program_->out().find('\n'))).as_object();
  url_ = said("url");
  control_ = std::make_unique<HttpTestClient>(port_of(said("control")));
}

std::string FakeCloud::said(std::string_view field) const {
  return std::string(about_.at(field).as_string());
}

void FakeCloud::use(World& world) const {
  if (name_ == "modal") {
    world.set("MODAL_SERVER_URL", url_);
    world.set("MODAL_TOKEN_ID", said("token_id"));
    world.set("MODAL_TOKEN_SECRET", said("token_secret"));
    world.set("TERMINAL_MODAL_MODE", "direct");
  } else {
    world.set("DAYTONA_API_URL", url_);
    world.set("DAYTONA_API_KEY", said("api_key"));
  }
  world.set("TERMINAL_ENV", name_);
}

std::string FakeCloud::tell(const std::string& method, const std::string& path,
                            const json::object& body) {
  const HttpAnswer answer = control_->ask(method, path, body.empty() ? "" : json::serialize(body));
  if (answer.status != 200) {
    throw std::runtime_error(method + " " + path + ": " + std::to_string(answer.status) + " " +
                             answer.body);
  }
  return answer.body;
}

json::array FakeCloud::sandboxes() { return json::parse(tell("GET", "/sandboxes", {})).as_array(); }

std::string FakeCloud::normal() { return tell("GET", "/normal", {}); }

std::vector<json::object> FakeCloud::requests(std::string_view method) {
  std::vector<json::object> found;
  std::istringstream lines(tell("GET", "/log", {}));
  for (std::string line; std::getline(lines, line);) {
    json::object request = json::parse(line).as_object();
    if (method.empty() || request.at("method").as_string() == method) {
      found.push_back(std::move(request));
    }
  }
  return found;
}

}  // namespace talaria::test
