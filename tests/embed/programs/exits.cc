// A Runtime may be destroyed at any time, or not at all.
//   exits static   a static one, whose calls are judged while the program ends
//   exits stack    std::exit() while one is on the stack and does that
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

// The guard reads all of its tables for it, and refuses it: nobody can be asked.
constexpr const char* kMuchToJudge = "find . -name nothing -exec rm -rf {} +; git push --force";

// The tables are made by the first call, so after the Runtime, and were destroyed before it.
void leave_calls(talaria::Runtime& runtime) {
  for (int i = 0; i < 3; ++i) (void)runtime.run({.text = kMuchToJudge, .task = "t"});
  for (int i = 0; i < 64; ++i) {
    runtime.run({.text = kMuchToJudge}, {}, [](const talaria::Result<talaria::Outcome>&) {});
  }
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
    leave_calls(runtime);
    return 0;
  }
  talaria::Runtime runtime = make();
  leave_calls(runtime);
  std::exit(0);
}
