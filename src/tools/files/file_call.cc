#include "tools/files/file_call.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "host/child_env.h"
#include "tools/arguments.h"

namespace talaria::tool {
namespace {

namespace fs = std::filesystem;

FileStamp stamp_of(const link::LocateFileReport& report) {
  return {report.device, report.inode, report.entry.size, report.entry.mtime_ns};
}

// Of a path of this machine.
std::string without_links(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real.string();
}

// The home that holds the profiles: its own, or the one that a profile's is in.
std::string profiles_root(const std::string& home) {
  const fs::path path(home);
  const bool is_profile = path.parent_path().filename() == "profiles";
  return is_profile ? path.parent_path().parent_path().string() : home;
}

bool is_relative(const std::string& path) {
  return !path.starts_with('/') && !path.starts_with('~');
}

bool is_below(const std::string& path, const std::string& root) {
  if (root == "/") return true;
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

}  // namespace

FileCall::FileCall(ToolCall& call, host::ConfigPtr config, host::EnvironmentPtr environment)
    : call_(&call),
      config_(std::move(config)),
      environment_(std::move(environment)),
      key_(std::string(environment_->target()) + '\0' + environment_->place() + '\0') {}

Task<Result<FileCall>> FileCall::open(ToolCall& call) {
  if (!call.config) co_return fail(call.config.error());
  auto environment = co_await call.services.environments.get(call.task(), *call.config);
  if (!environment) co_return fail(environment.error());
  co_return FileCall(call, *call.config, std::move(*environment));
}

Task<Result<LocatedFile>> FileCall::locate(std::string path, std::size_t neighbours,
                                           std::optional<link::ReadLines> window) const {
  link::LocateFile wanted{
      .path = path, .session = call_->task(), .first_cwd = config_->cwd, .neighbours = neighbours};
  if (!call_->context.first_directory.empty()) wanted.first_cwd = call_->context.first_directory;
  host::Settings& settings = call_->services.settings;
  if (environment_->target() == "local") {
    wanted.home = host::variable_in(settings.variables().child_env(), "HOME").value_or("");
  }
  if (call_->context.own_directory) wanted.session.clear();
  // Where an override sends the session with its next command, files are already.
  if (const auto move = settings.begin_move(call_->task())) {
    wanted.session.clear();
    wanted.first_cwd = move->directory;
    settings.end_move(call_->task(), *move, false);
  }
  Result<link::LocateFileReport> report;
  std::optional<link::ReadLinesReport> lines;
  if (window) {
    environment::LocatedLines both =
        co_await files().locate_and_read(std::move(wanted), std::move(*window), call_->cancel);
    report = std::move(both.place);
    const bool its_own = report && both.lines && report->device == both.lines->device &&
                         report->inode == both.lines->inode;
    if (its_own) lines = std::move(*both.lines);
  } else {
    report = co_await files().locate(std::move(wanted));
  }
  if (!report) co_return fail(report.error());
  LocatedFile file{
      .paths = {std::move(path), std::move(report->path), std::move(report->real)},
      .directory = std::move(report->directory),
      .home = std::move(report->home),
      .found = report->found,
      .is_directory = report->found && report->entry.kind == link::EntryKind::directory,
      .is_regular = report->found && report->entry.kind == link::EntryKind::file,
      .has_parent = report->has_parent,
      .size = report->entry.size,
      .stamp = stamp_of(*report),
      .umask = report->umask,
      .neighbours = std::move(report->neighbours),
      .lines = std::move(lines)};
  file.key = key_ + file.paths.real;
  co_return file;
}

// A link is in its directory, wherever it leads.
Task<Result<void>> FileCall::find_own_place(LocatedFile& file) const {
  if (file.paths.path == file.paths.real) co_return Result<void>();
  const fs::path asked(file.paths.asked);
  const std::string parent = asked.parent_path().empty() ? "." : asked.parent_path().string();
  const auto directory = co_await locate(parent);
  if (!directory) co_return fail(directory.error());
  file.paths.own = directory->real() + "/" + asked.filename().string();
  co_return Result<void>();
}

Task<FileStamp> FileCall::stamp(std::string path) const {
  link::LocateFile wanted{.path = std::move(path)};
  const auto report = co_await files().locate(std::move(wanted));
  co_return report ? stamp_of(*report) : FileStamp{};
}

policy::RuledPlace FileCall::place(const LocatedFile& file) const {
  policy::RuledPlace place{.home = file.home, .write_root = config_->files.write_root};
  if (environment_->target() == "local") {
    const std::string home = without_links(config_->home);
    place.home = without_links(file.home);
    place.profiles_root = profiles_root(home);
    place.agent_homes = {home};
    if (place.profiles_root != home) place.agent_homes.push_back(place.profiles_root);
    place.write_root = place.write_root.empty() ? "" : without_links(place.write_root);
  }
  // The directory of a sandbox of the gateway is below the home, and its own.
  if (environment_->target() == "local" &&
      is_below(file.real(), without_links(config_->home) + "/talaria/sandboxes/" + call_->task())) {
    place.agent_homes.clear();
    place.profiles_root.clear();
    return place;
  }
  const std::string usual = place.home + "/.hermes";
  if (std::ranges::find(place.agent_homes, usual) == place.agent_homes.end()) {
    place.agent_homes.push_back(usual);
  }
  const bool is_container =
      environment_->target() == "docker" || environment_->target() == "podman";
  place.is_lasting_container = is_container && config_->container.persistent;
  return place;
}

std::optional<std::string> FileCall::read_denied(const LocatedFile& file) const {
  return talaria::policy::read_denied(file.paths, place(file));
}

std::optional<std::string> FileCall::change_denied(const LocatedFile& file,
                                                   policy::FileAct act) const {
  const json::value* across = given(call_->arguments, "cross_profile");
  return talaria::policy::change_denied(file.paths, place(file), act,
                                        across != nullptr && is_true(*across));
}

void FileCall::note_written(const LocatedFile& file, const FileStamp& stamp) const {
  if (call_->files == nullptr) return;
  if (call_->from_script) return call_->files->changed_by_script(call_->task(), file.key);
  call_->files->wrote(call_->task(), file.key, stamp);
}

void FileCall::note_removed(const LocatedFile& file) const {
  if (call_->files == nullptr) return;
  if (call_->from_script) return call_->files->changed_by_script(call_->task(), file.key);
  call_->files->removed(call_->task(), file.key);
}

std::string FileCall::warning(const LocatedFile& file) const {
  if (memory() != nullptr && config_->files.compare_with_read && file.found) {
    std::string stale = memory()->staleness(call_->task(), file.key, file.paths.asked, file.stamp);
    if (!stale.empty()) return stale;
  }
  if (is_relative(file.paths.asked) && !is_below(file.paths.path, file.directory)) {
    return "The relative path '" + file.paths.asked + "' leads to " + file.paths.path +
           ", which is OUTSIDE the workspace " + file.directory +
           ". Use an absolute path if that is meant.";
  }
  return {};
}

}  // namespace talaria::tool
