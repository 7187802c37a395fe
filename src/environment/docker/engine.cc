#include "environment/docker/engine.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "base/text.h"
#include "environment/docker/labels.h"
#include "os/find_program.h"
#include "os/random.h"

namespace talaria::environment::docker {
namespace {

namespace json = boost::json;
using std::chrono::seconds;

constexpr std::size_t kShownComplaint = 2000;
constexpr auto kPullPatience = seconds(30 * 60);

constexpr auto kDesktopPlaces =
    std::to_array<const char*>({"/usr/local/bin/docker", "/opt/homebrew/bin/docker",
                                "/Applications/Docker.app/Contents/Resources/bin/docker"});

constexpr auto kS6Inits =
    std::to_array<std::string_view>({"/init", "/package/admin/s6-overlay/command/init"});

Error not_found(const std::string& target) {
  if (target == "podman") {
    return Error(ErrorKind::unavailable,
                 "Podman executable not found in PATH. Install Podman and ensure the 'podman' "
                 "command is available.");
  }
  return Error(ErrorKind::unavailable,
               "Docker executable not found in PATH or known install locations. Install Docker and "
               "ensure the 'docker' command is available.");
}

std::optional<std::string> as_user_says(const std::string& said) {
  if (said.empty()) return std::nullopt;
  if (os::is_program(said)) return said;
  return said.contains('/') ? std::nullopt : os::find_program(said);
}

std::optional<std::string> usual_program(const std::string& target) {
  if (target != "podman") {
    if (auto docker = os::find_program("docker")) return docker;
  }
  if (auto podman = os::find_program("podman")) return podman;
  if (target == "podman") return std::nullopt;
  const auto place = std::ranges::find_if(kDesktopPlaces, os::is_program);
  return place == kDesktopPlaces.end() ? std::nullopt : std::optional<std::string>(*place);
}

// What the engine had to say, at its end.
std::string complaint_of(const ProgramAnswer& answer) {
  const std::string& said = answer.complaint.empty() ? answer.output : answer.complaint;
  const std::string end = said.substr(said.size() - std::min(said.size(), kShownComplaint));
  return " exited with code " + std::to_string(answer.code) + (end.empty() ? "" : ": " + end);
}

std::unexpected<Error> failed(const std::string& what, const Result<ProgramAnswer>& answer) {
  if (!answer) return fail(ErrorKind::unavailable, what + ": " + answer.error().message());
  return fail(ErrorKind::unavailable, what + complaint_of(*answer));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    if (const auto line = trim(next_word(text, '\n')); !line.empty()) lines.push_back(line);
  }
  return lines;
}

std::string text_in(const json::value& object, std::initializer_list<std::string_view> path) {
  const json::value* at = &object;
  for (const std::string_view key : path) {
    at = at->is_object() ? at->as_object().if_contains(key) : nullptr;
    if (!at) return {};
  }
  return at->is_string() ? std::string(at->as_string()) : "";
}

InspectedContainer inspected(const json::value& found) {
  InspectedContainer container{
      .id = text_in(found, {"Id"}),
      .name = text_in(found, {"Name"}),
      .state = text_in(found, {"State", "Status"}),
      .image = text_in(found, {"Config", "Image"}),
      .created = text_in(found, {"Created"}),
      .finished_at = text_in(found, {"State", "FinishedAt"}),
      .task_digest = text_in(found, {"Config", "Labels", kTaskDigestLabel}),
      .settings = text_in(found, {"Config", "Labels", kSettingsLabel}),
      .keep = text_in(found, {"Config", "Labels", kKeepLabel}),
      .home = text_in(found, {"Config", "Labels", kHomeLabel}),
      .pool = text_in(found, {"Config", "Labels", kPoolLabel})};
  if (container.name.starts_with('/')) container.name.erase(0, 1);
  return container;
}

bool is_s6_init(std::string_view program) {
  return std::ranges::find(kS6Inits, program) != kS6Inits.end();
}

// As docker and podman say it.
bool is_missing_image(std::string_view complaint) {
  return complaint.contains("o such image") || complaint.contains("image not known") ||
         complaint.contains("o such object");
}

}  // namespace

Result<std::string> find_engine(const std::string& target, const std::string& said) {
  if (auto program = as_user_says(said)) return std::move(*program);
  if (!said.empty()) {
    return fail(ErrorKind::unavailable,
                "HERMES_DOCKER_BINARY is '" + said +
                    "', which is not a program on this machine. Correct or unset it.");
  }
  auto program = usual_program(target);
  if (!program) return fail(not_found(target));
  return std::move(*program);
}

Task<Result<ProgramAnswer>> Engine::ask(std::vector<std::string> arguments, seconds patience,
                                        std::vector<std::string> added) const {
  arguments.insert(arguments.begin(), program_);
  co_return co_await ask_program(
      {.argv = std::move(arguments), .added = std::move(added), .patience = patience});
}

std::string Engine::identity() const {
  std::string which = program_;
  for (const char* name : {"DOCKER_HOST", "DOCKER_CONTEXT", "CONTAINER_HOST"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') which += std::string(" ") + name + "=" + value;
  }
  return which;
}

Task<Result<void>> Engine::check() const {
  const auto answer = co_await ask({"version"}, seconds(5));
  if (answer && answer->code == 0) co_return Result<void>();
  if (answer) {
    const std::string failed = program_ + " version" + complaint_of(*answer);
    co_return fail(ErrorKind::unavailable,
                   std::string_view(program_).ends_with("podman")
                       ? "Podman is installed, but does not work: " + failed
                       : "Docker command is available but 'docker version' failed. Check your "
                         "Docker installation. " +
                             failed);
  }
  if (answer.error().kind() == ErrorKind::timed_out) {
    co_return fail(ErrorKind::unavailable,
                   "Docker daemon is not responding. Ensure Docker is running and try again.");
  }
  co_return fail(ErrorKind::unavailable,
                 "Docker executable could not be executed. Check your Docker installation. " +
                     answer.error().message());
}

Task<Engine::Image> Engine::look_at(std::string image) const {
  const auto answer = co_await ask(
      {"image", "inspect", image, "--format", "{{json .Config.Entrypoint}}"}, seconds(15));
  if (!answer) co_return Image();
  if (answer->code != 0) co_return Image{.missing = is_missing_image(answer->complaint)};
  boost::system::error_code error;
  const json::value entrypoint = json::parse(trim(answer->output), error);
  if (error) co_return Image();
  if (!entrypoint.is_array() || entrypoint.as_array().empty()) co_return Image{.known = true};
  const json::value& first = entrypoint.as_array().front();
  co_return Image{.known = true,
                  .has_own_init = first.is_string() && is_s6_init(first.as_string())};
}

// One that prints nothing of use. An error names its first and last argument.
Task<Result<void>> Engine::command(std::vector<std::string> arguments, seconds patience) const {
  const std::string what = program_ + " " + arguments.front() + " " + arguments.back();
  const auto answer = co_await ask(std::move(arguments), patience);
  if (answer && answer->code == 0) co_return Result<void>();
  co_return failed(what, answer);
}

Task<Result<void>> Engine::pull(std::string image) const {
  const auto pulled = co_await command({"pull", image}, kPullPatience);
  // Podman asks for the registry where nothing says which one is meant.
  if (pulled || !pulled.error().message().contains("short-name")) co_return pulled;
  co_return fail(pulled.error().kind(),
                 std::string(trim(pulled.error().message())) +
                     "\nSet TERMINAL_DOCKER_IMAGE to a full name, such as docker.io/" + image +
                     ".");
}

Task<bool> Engine::can_limit_disk(std::string image) const {
  const auto driver = co_await ask({"info", "--format", "{{.Driver}}"}, seconds(10));
  if (!driver || driver->code != 0 || trim(driver->output) != "overlay2") co_return false;
  const std::string name = "hermes-probe-" + os::random_hex(4);
  const auto made =
      co_await ask({"create", "--pull", "never", "--name", name, "--storage-opt", "size=1m", image},
                   seconds(15));
  if (!made) {
    (void)co_await remove(name, seconds(5));
    co_return false;
  }
  if (made->code != 0) co_return false;
  (void)co_await remove(name, seconds(5));
  co_return true;
}

Task<Result<std::vector<ListedContainer>>> Engine::list(std::vector<std::string> labels) const {
  std::vector<std::string> arguments{"ps", "-a"};
  for (const std::string& label : labels) {
    arguments.emplace_back("--filter");
    arguments.push_back("label=" + label);
  }
  arguments.insert(arguments.end(), {"--format", "{{.ID}}\t{{.State}}"});
  const auto answer = co_await ask(std::move(arguments), seconds(10));
  if (!answer || answer->code != 0) co_return failed(program_ + " ps", answer);
  std::vector<ListedContainer> found;
  for (const std::string_view line : lines_of(answer->output)) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    found.push_back(
        {.id = std::string(line.substr(0, tab)), .state = std::string(trim(line.substr(tab)))});
  }
  co_return found;
}

Task<Result<std::vector<InspectedContainer>>> Engine::inspect(std::vector<std::string> ids) const {
  std::vector<std::string> arguments{"container", "inspect"};
  std::ranges::move(ids, std::back_inserter(arguments));
  // It prints those it found also if it complains about others.
  const auto answer = co_await ask(std::move(arguments), seconds(15));
  if (!answer) co_return failed(program_ + " inspect", answer);
  boost::system::error_code error;
  const json::value list = json::parse(answer->output, error);
  if (error || !list.is_array()) co_return failed(program_ + " inspect", answer);
  std::vector<InspectedContainer> found;
  for (const json::value& one : list.as_array()) found.push_back(inspected(one));
  const bool knows = std::ranges::all_of(lines_of(answer->complaint), [](std::string_view line) {
    return line.contains("o such container") || line.contains("o container with name or ID");
  });
  if (found.empty() && !knows) co_return failed(program_ + " inspect", answer);
  co_return found;
}

Task<Result<std::string>> Engine::run(std::vector<std::string> arguments,
                                      std::vector<std::string> client) const {
  const auto answer = co_await ask(std::move(arguments), seconds(120), std::move(client));
  if (!answer || answer->code != 0) co_return failed(program_ + " run", answer);
  const auto lines = lines_of(answer->output);
  if (lines.empty())
    co_return fail(ErrorKind::unavailable, program_ + " run did not print the id of a container");
  co_return std::string(lines.back());
}

Task<Result<void>> Engine::start(std::string id) const {
  return command({"start", std::move(id)}, seconds(30));
}

Task<Result<void>> Engine::unpause(std::string id) const {
  return command({"unpause", std::move(id)}, seconds(30));
}

Task<Result<void>> Engine::stop(std::string id) const {
  return command({"stop", "-t", "10", std::move(id)}, seconds(30));
}

Task<Result<void>> Engine::remove(std::string id, seconds patience) const {
  const auto answer = co_await ask({"rm", "-f", id}, patience);
  if (answer && answer->code == 0) co_return Result<void>();
  // Somebody else was or is quicker.
  if (answer && (answer->complaint.contains("o such container") ||
                 answer->complaint.contains("is already in progress"))) {
    co_return Result<void>();
  }
  co_return failed(program_ + " rm -f " + id, answer);
}

}  // namespace talaria::environment::docker
