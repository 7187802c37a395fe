// A plugin: a shared object with the archive in it, as a module of Python or Node has it.
#include <talaria/talaria.h>

#include <string>

extern "C" int plugin_run() {
  auto runtime = talaria::Runtime::make();
  if (!runtime) return 1;
  const auto outcome = runtime->run({.text = "exit 42"});
  return outcome ? outcome->exit_code : 2;
}
