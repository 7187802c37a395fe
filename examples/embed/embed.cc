// A program with Talaria in it. Prints:
//   hello me from /usr
//   interrupted, exit code 130
//   {"output":"the password is ***","exit_code":0,...}
#include <talaria/talaria.h>

#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace {

// A hook: what a model is shown instead of a command's output.
std::optional<std::string> hide_password(const talaria::FinishedCommand& command) {
  constexpr std::string_view kPassword = "swordfish";
  std::string text(command.output);
  const std::size_t at = text.find(kPassword);
  if (at == std::string::npos) return std::nullopt;
  return text.replace(at, kPassword.size(), "***");
}

int run() {
  talaria::Options options;
  options.variables = {"GREETING=hello"};
  options.hooks.transform_output.emplace_back(hide_password);
  talaria::Result<talaria::Runtime> runtime = talaria::Runtime::make(std::move(options));
  if (!runtime) {
    std::cerr << runtime.error().message() << "\n";
    return 1;
  }

  // Two commands of one session; the output of the second as it comes.
  const talaria::Result<talaria::Outcome> moved =
      runtime->run({.text = "cd /usr; export WHO=me", .task = "demo"});
  if (!moved) {
    std::cerr << moved.error().message() << "\n";
    return 1;
  }
  const talaria::Result<talaria::Outcome> greeting =
      runtime->run({.text = "echo $GREETING $WHO from $PWD",
                    .task = "demo",
                    .on_output = [](std::string_view bytes) { std::cout << bytes << std::flush; }});

  // One that is given up once it has begun. Any thread may cancel.
  const talaria::Cancel cancel;
  const talaria::Result<talaria::Outcome> given_up = runtime->run(
      {.text = "echo started; sleep 600", .on_output = [&](auto) { cancel.cancel(); }}, cancel);
  if (given_up && given_up->ended == talaria::CommandEnd::interrupted) {
    std::cout << "interrupted, exit code " << given_up->exit_code << "\n";
  }

  // A tool call as a model makes it: JSON in, JSON out.
  std::cout << runtime->call("terminal", R"({"command":"echo the password is swordfish"})") << "\n";
  return greeting && given_up ? 0 : 1;
}

}  // namespace

int main() { return run(); }
