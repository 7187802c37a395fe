#include "runner/search/tree_search.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "os/file.h"
#include "os/file_facts.h"
#include "runner/limits.h"
#include "runner/search/ignore_rules.h"
#include "runner/search/text_search.h"

namespace talaria::runner {
namespace {

struct DirectoryName {
  std::string name;
  bool is_directory = false;
  bool is_file = false;  // neither: a link, pipe, ...
};

// All but "." and "..", in no order. `fd` is read to its end.
Result<std::vector<DirectoryName>> directory_names(int fd) {
  alignas(dirent64) thread_local std::array<char, 64 * 1024> buffer;
  std::vector<DirectoryName> names;
  for (;;) {
    const ssize_t size = ::getdents64(fd, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return fail(Error::from_errno("read"));
    if (size == 0) return names;
    for (ssize_t at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer.data() + at);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      unsigned char type = entry->d_type;
      if (type == DT_UNKNOWN) {
        struct stat info{};
        if (::fstatat(fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) < 0) continue;
        type = IFTODT(info.st_mode);
      }
      names.push_back({std::string(name), type == DT_DIR, type == DT_REG});
    }
  }
}

constexpr std::size_t kFilesAtOnce = 32;

struct OpenDirectory {
  os::UniqueFd fd;
  std::string path;  // below the root, with "/" behind it; empty: the root
  std::shared_ptr<const IgnoreLevel> rules;
  std::size_t depth = 0;
};

// A directory to look into, or some of the files of one.
struct Work {
  std::shared_ptr<const OpenDirectory> in;
  std::string directory;  // its name there
  std::vector<std::string> files;
};

// WorkQueue: what is still to be done, the newest first, so that few directories are open at once.
// The work is over when there is none and nobody works on one.
class WorkQueue {
 public:
  void add(Work work) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(work));
    }
    more_.notify_one();
  }

  // To be asked again only when the last one is done.
  std::optional<Work> next(bool working) {
    std::unique_lock lock(mutex_);
    if (!working) ++working_;
    for (;;) {
      if (!queue_.empty() && !stopped_) {
        Work work = std::move(queue_.back());
        queue_.pop_back();
        return work;
      }
      --working_;
      if (working_ == 0 || stopped_) {
        stopped_ = true;
        more_.notify_all();
        ended_.notify_all();
        return std::nullopt;
      }
      more_.wait(lock, [&] { return !queue_.empty() || stopped_; });
      ++working_;
    }
  }

  // False if the work is not over by then; no more of it is given out.
  bool wait_for_end(std::chrono::steady_clock::time_point until) {
    std::unique_lock lock(mutex_);
    const bool ended = ended_.wait_until(lock, until, [&] { return stopped_; });
    stopped_ = true;
    more_.notify_all();
    return ended;
  }

 private:
  std::mutex mutex_;
  std::condition_variable more_;  // there is work, or an end of it
  std::condition_variable ended_;
  std::deque<Work> queue_;
  std::size_t working_ = 0;
  bool stopped_ = false;
};

// Whether the globs of a query let a path through.
Verdict judge_globs(const IgnoreRules& globs, std::string_view path, std::string_view name,
                    bool is_directory) {
  switch (globs.judge(path, name, is_directory)) {
    case Verdict::ignored:  // here a rule without "!" says what is wanted
      return Verdict::wanted;
    case Verdict::wanted:
      return Verdict::ignored;
    case Verdict::none:
      break;
  }
  return globs.has_plain() && !is_directory ? Verdict::ignored : Verdict::none;
}

// Worker: one thread of a search.
class Worker {
 public:
  Worker(const SearchPlan& plan, const IgnoreRules& globs, PatternMatcher matcher, WorkQueue& queue,
         Findings& findings, const std::atomic<bool>& stop)
      : plan_(plan),
        globs_(globs),
        queue_(queue),
        findings_(findings),
        stop_(stop),
        text_(std::move(matcher),
              {.context = plan.query.context,
               .max_line = plan.query.max_line,
               .only_first = plan.query.mode == link::SearchMode::files},
              stop) {}

  void run() {
    for (bool working = false;; working = true) {
      const auto work = queue_.next(working);
      if (!work) return;
      if (!work->directory.empty()) look_into(*work);
      for (const std::string& name : work->files) {
        if (stop_.load(std::memory_order_relaxed)) return;
        take_file(*work->in, name);
      }
    }
  }

  void take_file(const OpenDirectory& in, const std::string& name) {
    const std::string path = plan_.is_file ? "" : in.path + name;
    if (plan_.query.mode == link::SearchMode::names) {
      const auto facts = os::file_facts(in.fd.get(), name);
      if (!facts) return flaw(path, errno);
      findings_.add({.path = path, .mtime_ns = facts->mtime_ns});
      return;
    }
    // Not waiting: it may have become a pipe.
    const auto file = os::open_file_at(in.fd.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!file) return flaw(path, file.error().code());
    auto hits = text_.search(file->get(), findings_.wanted_of(path));
    if (!hits && hits.error().code() != 0) return flaw(path, hits.error().code());
    if (!hits) return findings_.add_flaw(path, hits.error().message());
    if (hits->matches == 0) return;
    if (plan_.query.mode == link::SearchMode::files)
      return findings_.add({.path = path});  // not counted
    findings_.add({.path = path, .matches = hits->matches, .lines = std::move(hits->lines)});
  }

  // What is in a directory: files are searched in batches, by any idle thread.
  void look_at(const std::shared_ptr<OpenDirectory>& directory) {
    auto names = directory_names(directory->fd.get());
    if (!names) return flaw(directory->path, names.error().code());
    add_rules(*directory, *names);
    Work files{.in = directory};
    for (DirectoryName& entry : *names) {
      if (!entry.is_directory && !entry.is_file) continue;
      if (is_hidden(*directory, entry)) continue;
      if (entry.is_directory) {
        queue_.add({.in = directory, .directory = std::move(entry.name)});
        continue;
      }
      files.files.push_back(std::move(entry.name));
      if (files.files.size() < kFilesAtOnce) continue;
      queue_.add(std::move(files));
      files = Work{.in = directory};
    }
    if (!files.files.empty()) queue_.add(std::move(files));
  }

 private:
  void flaw(const std::string& path, int code) { findings_.add_flaw(path, std::strerror(code)); }

  void look_into(const Work& work) {
    const std::string path = work.in->path + work.directory;
    if (work.in->depth >= kMaxSearchDepth) return findings_.add_flaw(path, "lies too deep");
    auto fd =
        os::open_file_at(work.in->fd.get(), work.directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!fd) return flaw(path, fd.error().code());
    look_at(std::make_shared<OpenDirectory>(
        OpenDirectory{std::move(*fd), path + "/", work.in->rules, work.in->depth + 1}));
  }

  static void add_rules(OpenDirectory& directory, const std::vector<DirectoryName>& names) {
    IgnoreNames found{false, false, false, false};
    for (const DirectoryName& entry : names) {
      if (!entry.name.starts_with('.')) continue;
      found.rgignore |= entry.name == ".rgignore";
      found.ignore |= entry.name == ".ignore";
      found.gitignore |= entry.name == ".gitignore";
      found.git |= entry.name == ".git";
    }
    if (!found.rgignore && !found.ignore && !found.gitignore && !found.git) return;
    auto level = std::make_shared<IgnoreLevel>();
    level->above = directory.rules;
    level->drop = directory.path.size();
    read_rules(*level, directory.fd.get(), found);
    if (!level->says_nothing()) directory.rules = std::move(level);
  }

  bool is_hidden(const OpenDirectory& directory, const DirectoryName& entry) const {
    const bool dotted = entry.name.starts_with('.');
    if (globs_.empty() && directory.rules == nullptr) return dotted;
    const std::string path = directory.path + entry.name;
    Verdict verdict = judge_globs(globs_, path, entry.name, entry.is_directory);
    if (verdict == Verdict::none) {
      verdict = judge(directory.rules.get(), path, entry.name, entry.is_directory);
    }
    return verdict == Verdict::none ? dotted : verdict == Verdict::ignored;
  }

  const SearchPlan& plan_;
  const IgnoreRules& globs_;
  WorkQueue& queue_;
  Findings& findings_;
  const std::atomic<bool>& stop_;
  TextSearch text_;
};

}  // namespace

Result<bool> search_tree(const SearchPlan& plan, Findings& findings) {
  IgnoreRules globs;
  for (const std::string& glob : plan.query.globs) {
    if (const auto added = globs.add(glob); !added) {
      return fail(ErrorKind::bad_request, "glob '" + glob + "': " + added.error().message());
    }
  }
  const unsigned threads =
      plan.is_file ? 1 : std::clamp(std::thread::hardware_concurrency(), 1u, kMaxSearchThreads);
  WorkQueue queue;
  std::atomic<bool> stop = false;
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned i = 0; i < threads; ++i) {
    auto matcher = PatternMatcher::make(plan.query.pattern);
    if (!matcher) return fail(matcher.error());
    workers.push_back(
        std::make_unique<Worker>(plan, globs, std::move(*matcher), queue, findings, stop));
  }

  const std::size_t slash = plan.root.rfind('/');
  const std::string directory = plan.is_file ? plan.root.substr(0, slash + 1) : plan.root;
  auto fd = os::open_file(directory, O_RDONLY | O_DIRECTORY);
  if (!fd) return fail(Error::from_errno(plan.root, fd.error().code()));
  auto root = std::make_shared<OpenDirectory>(OpenDirectory{.fd = std::move(*fd)});
  if (plan.is_file) {
    queue.add({.in = root, .files = {plan.root.substr(slash + 1)}});
  } else {
    root->rules = rules_above(plan.root);
    workers.front()->look_at(root);
  }

  std::vector<std::thread> running;
  running.reserve(threads);
  for (const auto& worker : workers) running.emplace_back([&] { worker->run(); });
  const bool ended = queue.wait_for_end(plan.until);
  stop = true;
  for (std::thread& thread : running) thread.join();
  return ended;
}

}  // namespace talaria::runner
