// A Runtime may be destroyed at any time, or not at all.
//   exits static   a static one, after its shell is warm
//   exits stack    std::exit() while one is on the stack and a command runs
//   exits fork     a child is forked: its calls fail at once, and it ends by return
#include <sys/wait.h>
#include <talaria/talaria.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

namespace {

talaria::Runtime make() {
  talaria::Result<talaria::Runtime> runtime = talaria::Runtime::make();
  if (!runtime) {
    std::cerr << runtime.error().message() << "\n";
    std::abort();
  }
  return std::move(*runtime);
}

int run_fork() {
  talaria::Runtime runtime = make();
  if (!runtime.run({.text = "true", .task = "t"})) return 3;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto outcome = runtime.run({.text = "true"});
    const auto listed = talaria::Processes(runtime).list();
    const bool right = !outcome && outcome.error().reason() == talaria::ErrorReason::forked &&
                       !listed && listed.error().reason() == talaria::ErrorReason::forked;
    return right ? 0 : 4;  // destroys its copy of the runtime
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || status != 0) return 5;
  return runtime.run({.text = "true", .task = "t"}) ? 0 : 6;
}

}  // namespace

int main(int, char** argv) {
  const std::string_view mode = argv[1];
  if (mode == "fork") return run_fork();
  if (mode == "static") {
    static talaria::Runtime runtime = make();
    for (int i = 0; i < 3; ++i) {
      if (!runtime.run({.text = "rm -f nothing; echo hi", .task = "t"})) return 3;
    }
    return 0;
  }
  talaria::Runtime runtime = make();
  if (!runtime.run({.text = "echo hi", .task = "t"})) return 3;
  for (int i = 0; i < 8; ++i) {
    runtime.run({.text = "rm -f nothing; echo hi"}, {}, [](talaria::Result<talaria::Outcome>) {});
  }
  std::exit(0);
}
