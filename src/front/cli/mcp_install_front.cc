#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.h"
#include "front/cli/fronts.h"
#include "front/cli/install/mcp_client.h"
#include "front/cli/report.h"

namespace talaria::front::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestConfig = 4u << 20;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string own_path() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? "talaria" : path.string();
}

// Whether "talaria" in PATH is this program.
bool is_in_path(const std::string& own) {
  const std::string path = variable("PATH");
  std::string_view directories = path;
  while (!directories.empty()) {
    const fs::path candidate = fs::path(next_word(directories, ':')) / "talaria";
    std::error_code error;
    if (::access(candidate.c_str(), X_OK) == 0) return fs::equivalent(candidate, own, error);
  }
  return false;
}

// Projects are shared, so their entry names no path of this machine if possible.
McpServerEntry entry_for(const McpInstallOptions& options, bool project) {
  const std::string own = own_path();
  McpServerEntry entry{.command = project && is_in_path(own) ? "talaria" : own,
                       .arguments = {"mcp"},
                       .approval_mode = options.approval_mode};
  if (!options.target.empty()) {
    entry.arguments.emplace_back("--target");
    entry.arguments.push_back(options.target);
  }
  // A client that was not started from a shell may lack these.
  for (const char* name : {"TALARIA_HOME", "HERMES_HOME"}) {
    if (!project && !variable(name).empty()) entry.variables.emplace_back(name, variable(name));
  }
  return entry;
}

Result<fs::path> file_of(const McpClient& client, bool project) {
  std::error_code error;
  if (project) {
    const fs::path here = fs::current_path(error);
    if (error) return fail(ErrorKind::system, "the current directory: " + error.message());
    return here / client.project_file;
  }
  if (client.name == "codex" && !variable("CODEX_HOME").empty()) {
    return fs::path(variable("CODEX_HOME")) / "config.toml";
  }
  const std::string home = variable("HOME");
  if (home.empty()) return fail(ErrorKind::bad_request, "HOME is not set");
  return fs::path(home) / client.user_file;
}

// A missing file counts as an empty one.
Result<std::string> content_of(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) return "";
  if (status.type() != fs::file_type::regular) {
    return fail(ErrorKind::bad_request, file.string() + " is not a regular file");
  }
  if (fs::file_size(file, error) > kLargestConfig) {
    return fail(ErrorKind::bad_request, file.string() + " is larger than 4 MiB");
  }
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad() || !stream.is_open()) {
    return fail(ErrorKind::system, file.string() + " cannot be read");
  }
  return text;
}

// Atomically. A symbolic link stays a link.
Result<void> replace_file(const fs::path& named, std::string_view text) {
  std::error_code error;
  fs::create_directories(named.parent_path(), error);
  fs::path file = fs::weakly_canonical(named, error);
  if (error) file = named;
  struct stat old{};
  const bool is_there = ::stat(file.c_str(), &old) == 0;
  std::string fresh = file.string() + ".XXXXXX";
  const int fd = ::mkostemp(fresh.data(), O_CLOEXEC);
  if (fd < 0) return fail(Error::from_errno("writing beside " + file.string()));
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = is_there ? old.st_mode & 07777 : 0666 & ~mask;
  const bool written =
      write_fully(fd, text) && ::fchmod(fd, mode) == 0 && ::fsync(fd) == 0 &&
      (!is_there || old.st_uid == ::geteuid() || ::fchown(fd, old.st_uid, old.st_gid) == 0);
  const int code = errno;
  ::close(fd);
  if (written && ::rename(fresh.c_str(), file.c_str()) == 0) return {};
  const Error failed = Error::from_errno("writing " + file.string(), written ? errno : code);
  ::unlink(fresh.c_str());
  return fail(failed);
}

int install_in_file(const McpClient& client, const fs::path& file, const McpServerEntry& entry,
                    bool dry_run, const Stdio& stdio) {
  const std::string ours = mcp_server_text(client, entry);
  const auto before = content_of(file);
  const auto after = before ? with_mcp_server(client, *before, entry) : before;
  if (!after) {
    complain(stdio, (before ? file.string() + ": " : "") + after.error().message() +
                        "; nothing was changed. Add this to it:\n" + ours);
    return kFailed;
  }
  if (*after == *before) {
    return report_text("already configured in " + file.string() + "\n", stdio);
  }
  if (dry_run) return report_text("This would be added to " + file.string() + ":\n" + ours, stdio);
  if (const auto written = replace_file(file, *after); !written) {
    complain(stdio, written.error().message() + "; add this to it:\n" + ours);
    return kFailed;
  }
  std::string report = "Written: " + file.string() + "\n" + std::string(client.title) +
                       " starts it with: " + mcp_command_text(entry) + "\n";
  if (!client.approval_key.empty() && !after->contains(client.approval_key)) {
    report +=
        "`codex exec` never asks for approval, so it refuses commands and changes of files.\nTo "
        "allow them, run this again with --approval-mode approve.\n";
  }
  return report_text(report, stdio);
}

}  // namespace

int run_command(const McpInstallOptions& options, const Stdio& stdio) {
  const McpClient& client = *find_mcp_client(options.client);
  const bool project = options.project || (client.usually_project && !options.user);
  const McpServerEntry entry = entry_for(options, project);
  if (!project && client.user_file.empty()) {
    std::string variables;
    for (const auto& [name, value] : entry.variables) {
      variables += "--env " + mcp_command_text({.command = name + "=" + value}) + " ";
    }
    return report_text(std::string(client.title) +
                           " manages its user configuration itself. To add the server, run:\n"
                           "  claude mcp add " +
                           variables + "--scope user " + std::string(kMcpServerName) + " -- " +
                           mcp_command_text(entry) + "\n",
                       stdio);
  }
  const auto file = file_of(client, project);
  if (!file) return report_error(file.error(), false, stdio);
  return install_in_file(client, *file, entry, options.dry_run, stdio);
}

}  // namespace talaria::front::cli
