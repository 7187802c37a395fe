#include "sandboxes/exec_texts.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/limits.h"
#include "os/file.h"

namespace talaria::sandboxes {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRead = 256u << 20;  // more than any request has

std::string command_file(const std::string& directory, const std::string& process) {
  return directory + "/" + process + ".command";
}
std::string input_file(const std::string& directory, const std::string& process) {
  return directory + "/" + process + ".input";
}

Result<void> write_file(const std::string& path, std::string_view text) {
  const auto file = os::open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!file) return fail(file.error());
  if (const auto written = os::write_all(file->get(), text); !written) return written;
  if (::fdatasync(file->get()) != 0) return fail(Error::from_errno("fdatasync " + path));
  return {};
}

}  // namespace

std::string exec_texts_directory(const std::string& home) { return home + "/talaria/execs"; }

bool has_large_texts(const ExecSpec& spec) {
  return spec.command.size() + (spec.stdin_data ? spec.stdin_data->size() : 0) > kMaxBytesOnLoop;
}

Result<void> write_exec_texts(const std::string& directory, const std::string& process,
                              const ExecSpec& spec) {
  if (const auto made = os::make_private_directory(directory); !made) return made;
  Result<void> written = write_file(command_file(directory, process), spec.command);
  if (written && spec.stdin_data) {
    written = write_file(input_file(directory, process), *spec.stdin_data);
  }
  if (!written) remove_exec_texts(directory, process);
  return written;
}

Result<void> read_exec_texts(const std::string& directory, const std::string& process,
                             ExecSpec& spec) {
  auto command = os::read_file(command_file(directory, process), kMostRead);
  if (!command) return fail(command.error());
  spec.command = std::move(*command);
  if (!spec.stdin_data) return {};
  auto input = os::read_file(input_file(directory, process), kMostRead);
  if (!input) return fail(input.error());
  spec.stdin_data = std::move(*input);
  return {};
}

void remove_exec_texts(const std::string& directory, const std::string& process) {
  os::remove_file(command_file(directory, process));
  os::remove_file(input_file(directory, process));
}

void remove_other_texts(const std::string& directory, const std::set<std::string>& processes) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (!processes.contains(entry.path().stem())) os::remove_file(entry.path());
  }
}

}  // namespace talaria::sandboxes
