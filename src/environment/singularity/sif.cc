#include "environment/singularity/sif.h"

#include <filesystem>

#include "environment/singularity/names.h"
#include "environment/wait_for_lock.h"
#include "os/directory.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria::environment::singularity {
namespace {

// Somebody else's build, and a little.
constexpr std::chrono::seconds kSifLockPatience{610};

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// Left by builds that were killed: only the holder of the lock builds.
void remove_parts(const std::string& cache, const std::string& prefix) {
  for (const std::string& name : os::names_in(cache)) {
    if (name.starts_with(prefix)) os::remove_file(cache + "/" + name);
  }
}

Task<Result<void>> build_once(SingularityEngine engine, std::string image, std::string cache) {
  const std::string sif = cache + "/" + sif_name(image);
  std::error_code error;
  std::filesystem::create_directories(cache + "/tmp", error);
  if (error) co_return fail(ErrorKind::system, "mkdir " + cache + "/tmp: " + error.message());
  const auto lock = co_await wait_for_lock(sif + ".lock", kSifLockPatience);
  if (!lock) co_return fail(lock.error());
  if (is_there(sif)) co_return Result<void>();

  const std::string part_prefix = sif_name(image) + ".part.";
  remove_parts(cache, part_prefix);
  const std::string part = cache + "/" + part_prefix + os::random_hex(4);
  const auto built = co_await engine.build(part, image, cache);
  if (built) std::filesystem::rename(part, sif, error);
  if (!built || error) os::remove_file(part);
  if (!built) co_return fail(built.error());
  if (error) co_return fail(ErrorKind::system, "rename " + part + ": " + error.message());
  co_return Result<void>();
}

}  // namespace

Task<ChosenImage> choose_image(SingularityEngine engine, std::string image, std::string cache,
                               Progress progress) {
  if (!is_built(image)) co_return ChosenImage{.image = std::move(image)};
  std::string sif = cache + "/" + sif_name(image);
  if (is_there(sif)) co_return ChosenImage{.image = std::move(sif)};
  const auto built = co_await long_work(std::move(progress), "an image file is built from " + image,
                                        build_once(std::move(engine), image, std::move(cache)));
  if (built) co_return ChosenImage{.image = std::move(sif)};
  co_return ChosenImage{.image = image,
                        .notices = {"No image file was built from " + image +
                                    ", which is used directly: " + built.error().message()}};
}

}  // namespace talaria::environment::singularity
