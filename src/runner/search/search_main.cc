#include "runner/search/search_main.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "link/envelope.h"
#include "os/file.h"
#include "os/own_process.h"
#include "runner/files/file_place.h"
#include "runner/limits.h"
#include "runner/search/findings.h"
#include "runner/search/tree_search.h"

namespace talaria::runner {
namespace {

// Absolute, without links, and there.
Result<SearchPlan> make_plan(link::SearchFiles query) {
  if (query.offset > kMaxFound) {
    return fail(ErrorKind::bad_request, "offset: at most " + std::to_string(kMaxFound));
  }
  query.context = std::min(query.context, kMaxContext);
  query.max_line = query.max_line == 0 ? kMaxFoundLine : std::min(query.max_line, kMaxFoundLine);
  if (query.mode != link::SearchMode::content) query.context = 0;
  if (query.mode == link::SearchMode::names) query.pattern.clear();
  for (const std::string& glob : query.globs) {
    if (glob.contains('\0'))
      return fail(ErrorKind::bad_request, "a glob cannot contain a NUL byte");
  }
  if (query.pattern.contains('\0')) {
    return fail(ErrorKind::bad_request, "a pattern cannot contain a NUL byte; write \\x00");
  }
  std::array<char, PATH_MAX> real{};
  struct stat info{};
  if (::realpath(query.path.c_str(), real.data()) == nullptr || ::stat(real.data(), &info) < 0) {
    return fail(file_error(query.path, errno));
  }
  if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) {
    return fail(ErrorKind::bad_request,
                sanitize_utf8(query.path) + " is neither a directory nor a file");
  }
  const auto time = time_of(query);
  return SearchPlan{.query = std::move(query),
                    .root = real.data(),
                    .is_file = S_ISREG(info.st_mode),
                    .until = std::chrono::steady_clock::now() + time};
}

bool begins_binary(const std::string& path) {
  const auto file = os::open_file(path, O_RDONLY | O_NONBLOCK);
  if (!file) return false;
  std::array<char, kSearchBuffer> head{};
  const ssize_t size = ::read(file->get(), head.data(), head.size());
  return size > 0 && std::memchr(head.data(), 0, static_cast<std::size_t>(size)) != nullptr;
}

Result<std::string> answer(std::string_view body, const Ripgrep& known) {
  auto query = link::decode<link::SearchFiles>(body);
  if (!query) return fail(query.error());
  const auto report = search_files(std::move(*query), known);
  if (!report) return fail(report.error());
  return link::encode(*report);
}

std::string read_to_end(int fd) {
  std::string bytes;
  (void)os::read_pieces(fd, [&](std::string_view piece) -> Result<void> {
    bytes += piece;
    return {};
  });
  return bytes;
}

}  // namespace

std::chrono::milliseconds time_of(const link::SearchFiles& query) {
  const std::chrono::milliseconds asked(query.time_limit_ms);
  return query.time_limit_ms == 0 ? kSearchTime : std::min(asked, kLongestSearch);
}

Result<link::SearchReport> search_files(link::SearchFiles query, const Ripgrep& known) {
  const auto plan = make_plan(std::move(query));
  if (!plan) return fail(plan.error());
  std::optional<Ripgrep> ripgrep;
  if (plan->query.engine != link::SearchEngine::runner) ripgrep = find_ripgrep(known);
  if (!ripgrep && plan->query.engine == link::SearchEngine::ripgrep) {
    return fail(ErrorKind::not_found,
                "ripgrep (version 11 or newer) is not installed at the target");
  }

  Findings findings(plan->query);
  bool ended = true;
  const bool text = plan->query.mode != link::SearchMode::names;
  if (plan->is_file && text && begins_binary(plan->root)) {
    findings.add_flaw("", "is a binary file");
  } else {
    const auto done =
        ripgrep ? search_with(*ripgrep, *plan, findings) : search_tree(*plan, findings);
    if (!done) return fail(done.error());
    ended = *done;
  }
  auto report = findings.report();
  if (!report) return fail(report.error());
  report->root = plan->root;
  report->engine = ripgrep ? link::SearchEngine::ripgrep : link::SearchEngine::runner;
  if (ripgrep) report->engine_version = ripgrep->version;
  if (ripgrep) report->engine_path = ripgrep->path;
  report->timed_out = !ended;
  return *report;
}

int search_main(int argc, char** argv) {
  ::signal(SIGCHLD, SIG_DFL);  // the runner ignores it, and so would we
  ::signal(SIGPIPE, SIG_DFL);
  os::raise_descriptor_limit();  // the directories above the present one are open
  Ripgrep known;
  if (argc == 4) known = {argv[2], argv[3]};
  const std::string response = link::encode_response(answer(read_to_end(STDIN_FILENO), known));
  if (!os::write_all(STDOUT_FILENO, response)) return 1;
  std::fflush(nullptr);
  ::_exit(0);  // nothing that is left needs to be taken apart
}

}  // namespace talaria::runner
