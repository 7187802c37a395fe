#include "host/shared/shared_files.h"

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/limits.h"
#include "base/sha256.h"
#include "host/caller.h"
#include "host/config.h"
#include "host/shared/plain_copy.h"
#include "os/file.h"
#include "os/part_name.h"
#include "os/tree_walk.h"

namespace talaria::host {
namespace {

// Where a cache is, and where it was in older homes, which counts as long as it is there.
struct CacheName {
  std::string_view name;
  std::string_view older;
};
constexpr auto kCaches = std::to_array<CacheName>({{"documents", "document_cache"},
                                                   {"images", "image_cache"},
                                                   {"audio", "audio_cache"},
                                                   {"videos", "video_cache"},
                                                   {"screenshots", "browser_screenshots"}});

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

std::string copy_place(const std::string& home, const std::string& source) {
  return home + "/talaria/shared/" + sha256_hex(source).substr(0, 16);
}

}  // namespace

SharedOptions shared_options(const Config& config, const Caller& caller) {
  SharedOptions options{.home = config.home, .credential_files = config.credential_files};
  for (const std::string& written : config.skill_directories) {
    const bool is_ours = !written.starts_with('/') && !written.starts_with('~');
    options.skill_directories.push_back(
        caller.absolute(is_ours ? config.home + "/" + written : written));
  }
  return options;
}

SharedFiles::SharedFiles(SharedOptions options)
    : options_(std::move(options)), credentials_(options_.home, options_.credential_files) {}

std::vector<RefusedFile> SharedFiles::share(const json::array& files) {
  std::vector<RefusedFile> refused;
  std::vector<std::string> flaws;
  for (const std::string& path : credential_paths(files, flaws)) {
    const Result<void> added = credentials_.add(path);
    if (!added) refused.push_back({path, added.error().message()});
  }
  for (std::string& flaw : flaws) refused.push_back({"", std::move(flaw)});
  return refused;
}

std::vector<SharedDirectory> SharedFiles::directories(bool caches) const {
  std::vector<SharedDirectory> all{{options_.home + "/skills", "skills"}};
  for (std::size_t i = 0; i < options_.skill_directories.size(); ++i) {
    all.push_back({options_.skill_directories[i], "external_skills/" + std::to_string(i)});
  }
  for (const CacheName& cache : kCaches) {
    if (!caches) break;
    const std::string older = options_.home + "/" + std::string(cache.older);
    const std::string name = "cache/" + std::string(cache.name);
    all.push_back({is_directory(older) ? older : options_.home + "/" + name, name});
  }
  std::erase_if(all, [](const SharedDirectory& one) { return !is_directory(one.host); });
  return all;
}

Mounts SharedFiles::mounts(const MountOptions& options) const {
  Mounts mounts;
  CredentialFiles::Found found = credentials_.find();
  mounts.notices = std::move(found.notices);
  for (const CredentialFile& file : found.files) {
    mounts.paths.push_back({options_.home + "/" + file.inside, options.base + "/" + file.path});
  }
  for (SharedDirectory& one : directories(options.caches)) {
    std::string host = std::move(one.host);
    if (has_more_than_files(host)) {
      const std::string copy = copy_place(options_.home, host);
      const auto made = os::make_private_directory(options_.home + "/talaria");
      const auto copied = made ? bring_up_to_date(host, copy) : made;
      if (!copied) {
        mounts.notices.push_back(host + " has links in it and could not be copied without them: " +
                                 copied.error().message() + "; it is left out");
        continue;
      }
      host = copy;
    }
    mounts.paths.push_back({std::move(host), options.base + "/" + one.path});
  }
  return mounts;
}

SharedList SharedFiles::files() const {
  SharedList list;
  CredentialFiles::Found found = credentials_.find();
  list.notices = std::move(found.notices);
  for (CredentialFile& file : found.files) {
    const auto facts = os::file_facts(options_.home + "/" + file.inside);
    if (!facts) continue;  // gone since
    SharedFile shared{
        .root = options_.home, .inside = std::move(file.inside), .facts = *facts, .secret = true};
    list.files.emplace(std::move(file.path), std::move(shared));
  }
  bool too_many = false;
  for (const SharedDirectory& one : directories()) {
    auto walk = os::TreeWalk::below(one.host);
    while (const auto entry = walk ? walk->next() : std::nullopt) {
      if (entry->facts.kind != os::FileKind::file || os::is_part_name(entry->path)) continue;
      too_many = list.files.size() >= kMaxSharedFiles;
      if (too_many) break;
      // If a credential has the same path, it counts.
      SharedFile shared{.root = one.host, .inside = entry->path, .facts = entry->facts};
      list.files.emplace(one.path + "/" + entry->path, std::move(shared));
    }
  }
  if (too_many) {
    list.notices.push_back("skills and caches have over " + std::to_string(kMaxSharedFiles) +
                           " files; the target gets the first of them");
  }
  return list;
}

}  // namespace talaria::host
