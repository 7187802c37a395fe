#include "api/engine_files.h"

#include <filesystem>
#include <utility>

#include "environment/docker/task_directory.h"
#include "environment/modal/snapshot_store.h"
#include "environment/singularity/scratch.h"
#include "environment/singularity/snapshots.h"
#include "sandboxes/off_loop.h"

namespace talaria {
namespace {

Task<bool> remove_tree(std::string path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);  // follows no link
  co_return !error;
}

}  // namespace

Task<void> remove_engine_files(host::Config config, std::string target, std::string sandbox) {
  if (target == "modal") {
    (void)co_await environment::modal::forget_modal_snapshot(config.home, sandbox);
    co_return;
  }
  sandboxes::OffLoop thread;
  if (target != "singularity") {
    (void)co_await thread.run(
        remove_tree(environment::docker::task_directory(config.sandbox_dir, sandbox)));
    co_return;
  }
  const auto scratch = environment::singularity::make_scratch(
      environment::singularity::scratch_rules(config.singularity, config.sandbox_dir));
  if (scratch) {
    (void)co_await thread.run(
        remove_tree(environment::singularity::overlay_directory(*scratch, sandbox)));
  }
  (void)co_await environment::singularity::forget_snapshot(config.home, sandbox);
}

}  // namespace talaria
