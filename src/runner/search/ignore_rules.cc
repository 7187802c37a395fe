#include "runner/search/ignore_rules.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <ranges>

#include "os/file.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

namespace fs = std::filesystem;

IgnoreRules rules_in(int fd, const std::string& name) {
  const auto file = os::open_file_at(fd, name, O_RDONLY | O_NONBLOCK);
  if (!file) return {};
  struct stat info{};
  if (::fstat(file->get(), &info) < 0 || !S_ISREG(info.st_mode)) return {};
  const auto text = os::read_whole(file->get(), kMaxIgnoreFile);
  return text ? IgnoreRules::of_file(*text) : IgnoreRules();
}

std::string_view without_trailing_space(std::string_view line) {
  if (line.ends_with("\\ ")) return line;
  const std::size_t last = line.find_last_not_of(" \t\r\n\v\f");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

IgnoreRules IgnoreRules::of_file(std::string_view text) {
  IgnoreRules rules;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.starts_with('#')) (void)rules.add(line);
  }
  return rules;
}

Result<void> IgnoreRules::add(std::string_view line) {
  line = without_trailing_space(line);
  if (line.empty()) return {};
  Rule rule;
  bool anchored = false;
  if (line.starts_with("\\!") || line.starts_with("\\#")) {
    line.remove_prefix(1);
  } else {
    if (line.starts_with('!')) {
      rule.negated = true;
      line.remove_prefix(1);
    }
    if (line.starts_with('/')) {
      anchored = true;
      line.remove_prefix(1);
    }
  }
  if (line.ends_with('/')) {
    rule.only_directories = true;
    line.remove_suffix(1);
    if (line.ends_with('\\')) line.remove_suffix(1);
  }
  std::string glob(line);
  if (!anchored && !glob.contains('/') && glob != "**") glob = "**/" + glob;
  if (glob.ends_with("/**")) glob += "/*";  // what is in it, not the directory itself
  auto parsed = Glob::parse(glob);
  if (!parsed) return fail(parsed.error());
  rule.glob = std::move(*parsed);
  has_plain_ |= !rule.negated;
  rules_.push_back(std::move(rule));
  return {};
}

Verdict IgnoreRules::judge(std::string_view path, std::string_view name, bool is_directory) const {
  for (const Rule& rule : rules_ | std::views::reverse) {
    if (rule.only_directories && !is_directory) continue;
    if (rule.glob.matches(path, name)) return rule.negated ? Verdict::wanted : Verdict::ignored;
  }
  return Verdict::none;
}

Verdict judge(const IgnoreLevel* level, const std::string& path, std::string_view name,
              bool is_directory) {
  if (level == nullptr) return Verdict::none;
  Verdict ignore = Verdict::none;
  Verdict gitignore = Verdict::none;
  Verdict exclude = Verdict::none;
  const bool any_git = level->in_repository;
  bool saw_git = false;
  std::string longer;
  for (; level != nullptr; level = level->above.get()) {
    std::string_view seen = std::string_view(path).substr(level->drop);
    if (!level->prefix.empty()) {
      longer = level->prefix + path;
      seen = longer;
    }
    const Verdict first = level->rgignore.judge(seen, name, is_directory);
    if (first != Verdict::none) return first;
    if (ignore == Verdict::none) ignore = level->ignore.judge(seen, name, is_directory);
    if (any_git && !saw_git) {
      if (gitignore == Verdict::none) gitignore = level->gitignore.judge(seen, name, is_directory);
      if (exclude == Verdict::none) exclude = level->exclude.judge(seen, name, is_directory);
    }
    saw_git |= level->has_git;
  }
  if (ignore != Verdict::none) return ignore;
  return gitignore != Verdict::none ? gitignore : exclude;
}

void read_rules(IgnoreLevel& level, int fd, const IgnoreNames& found) {
  if (found.rgignore) level.rgignore = rules_in(fd, ".rgignore");
  if (found.ignore) level.ignore = rules_in(fd, ".ignore");
  if (found.gitignore) level.gitignore = rules_in(fd, ".gitignore");
  struct stat info{};
  level.has_git = found.git && ::fstatat(fd, ".git", &info, 0) == 0;
  if (level.has_git) level.exclude = rules_in(fd, ".git/info/exclude");
  level.in_repository = level.has_git || (level.above && level.above->in_repository);
}

std::shared_ptr<const IgnoreLevel> rules_above(const std::string& root) {
  std::vector<fs::path> above;  // the nearest first
  for (fs::path at = root; at.has_relative_path();) {
    at = at.parent_path();
    above.push_back(at);
  }
  std::shared_ptr<const IgnoreLevel> level;
  for (const fs::path& directory : above | std::views::reverse) {
    const auto fd = os::open_file(directory, O_RDONLY | O_DIRECTORY);
    if (!fd) continue;
    auto here = std::make_shared<IgnoreLevel>();
    here->above = level;
    const std::string start = directory == "/" ? "/" : directory.string() + "/";
    here->prefix = root.substr(start.size()) + "/";
    read_rules(*here, fd->get(), {});
    if (!here->says_nothing()) level = std::move(here);
  }
  return level;
}

}  // namespace talaria::runner
