/* Loads the plugin, uses it and unloads it, twice. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  (void)argc;
  for (int i = 0; i < 2; ++i) {
    void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    int (*run)(void);
    *(void**)&run = dlsym(plugin, "plugin_run");
    if (!run || run() != 42) return 2;
    dlclose(plugin);
  }
  return 0;
}
