#include "environment/runner_image.h"

#include <sys/stat.h>
#include <unistd.h>

#include "link/handshake.h"
#include "os/file.h"

// Made by main/embedded_runners.S.in.
extern "C" {
extern const char talaria_runner_x86_64_begin[];
extern const char talaria_runner_x86_64_end[];
extern const char talaria_runner_x86_64_digest[];
extern const char talaria_runner_aarch64_begin[];
extern const char talaria_runner_aarch64_end[];
extern const char talaria_runner_aarch64_digest[];
}

namespace talaria::environment {
namespace {

constexpr std::size_t kDigestHex = 64;

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::vector<RunnerImage> runner_images() {
  std::vector<RunnerImage> images = {
      {"x86_64",
       between(talaria_runner_x86_64_begin, talaria_runner_x86_64_end),
       {talaria_runner_x86_64_digest, kDigestHex}},
      {"aarch64",
       between(talaria_runner_aarch64_begin, talaria_runner_aarch64_end),
       {talaria_runner_aarch64_digest, kDigestHex}},
  };
  std::erase_if(images, [](const RunnerImage& image) { return image.bytes.empty(); });
  return images;
}

std::string runner_protocol() {
  return std::to_string(link::kProtocolMajor) + "." + std::to_string(link::kProtocolMinor);
}

Result<RunnerImage> runner_image(std::string_view architecture) {
  std::string known;
  for (const RunnerImage& image : runner_images()) {
    if (image.architecture == architecture) return image;
    known += (known.empty() ? "" : " and ") + std::string(image.architecture);
  }
  return fail(ErrorKind::not_found, "this build of talaria has no runner for " +
                                        std::string(architecture) + ", only for " + known +
                                        ". 'make build' adds aarch64");
}

std::string runner_file_name(std::string_view digest) {
  return std::string(kRunnerFilePrefix) + std::string(digest.substr(0, kRunnerFileDigits));
}

Result<std::string> install_runner(const RunnerImage& image, const std::string& directory) {
  if (const auto made = os::make_private_directory(directory); !made) return fail(made.error());
  std::string path = directory + "/" + runner_file_name(image.digest);
  if (!os::has_content(path, image.bytes)) {
    if (const auto written = os::replace_file(path, image.bytes); !written) {
      return fail(written.error());
    }
  }
  if (::chmod(path.c_str(), 0700) < 0) return fail(Error::from_errno("chmod " + path));
  return path;
}

}  // namespace talaria::environment
