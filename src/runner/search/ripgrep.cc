#include "runner/search/ripgrep.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <vector>

#include "base/text.h"
#include "os/child_process.h"
#include "os/file.h"
#include "os/file_facts.h"
#include "os/find_program.h"
#include "os/own_process.h"
#include "runner/limits.h"
#include "runner/search/ripgrep_output.h"

namespace talaria::runner {
namespace {

constexpr int kOldestVersion = 11;
constexpr std::size_t kMostComplaints = 1u << 20;

std::vector<std::string> ripgrep_arguments(const SearchPlan& plan, const std::string& root) {
  const link::SearchFiles& query = plan.query;
  std::vector<std::string> arguments{"rg", "--no-config", "--no-ignore-global", "--color=never",
                                     "--null"};
  switch (query.mode) {
    case link::SearchMode::content:
      arguments.insert(arguments.end(),
                       {"--line-number", "--no-heading", "--with-filename", "--no-mmap"});
      if (query.context > 0) arguments.push_back("--context=" + std::to_string(query.context));
      break;
    case link::SearchMode::files:
      arguments.insert(arguments.end(), {"--files-with-matches", "--no-mmap"});
      break;
    case link::SearchMode::count:
      arguments.insert(arguments.end(), {"--count", "--with-filename", "--no-mmap"});
      break;
    case link::SearchMode::names:
      arguments.emplace_back("--files");
      break;
  }
  for (const std::string& glob : query.globs) arguments.push_back("--glob=" + glob);
  if (query.mode != link::SearchMode::names) arguments.push_back("--regexp=" + query.pattern);
  arguments.insert(arguments.end(), {"--", root});
  return arguments;
}

// What ripgrep says of files begins with their name; everything else is about the search itself.
class Complaints {
 public:
  void take(std::string_view bytes) {
    if (text_.size() < kMostComplaints) text_ += bytes;
  }

  // The messages about the search itself.
  std::string sort_out(Findings& findings) const {
    std::string others;
    std::string_view rest = text_;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (line.starts_with("rg: ")) line.remove_prefix(4);
      const std::size_t colon = line.rfind(": ");
      if (line.starts_with("./") && colon != std::string_view::npos) {
        std::string_view reason = line.substr(colon + 2);
        reason = reason.substr(0, reason.find(" (os error"));
        findings.add_flaw(std::string(line.substr(2, colon - 2)), std::string(reason));
      } else if (!line.empty()) {
        others += (others.empty() ? "" : "\n") + std::string(line);
      }
    }
    return sanitize_utf8(others);
  }

 private:
  std::string text_;
};

// Reads both pipes until they end. False if it is not done in time.
bool read_all(int output, int errors, std::chrono::steady_clock::time_point until,
              RipgrepOutput& parser, Complaints& complaints) {
  std::array<char, 64 * 1024> chunk;
  std::array<pollfd, 2> waits{pollfd{output, POLLIN, 0}, pollfd{errors, POLLIN, 0}};
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    const int ready = ::poll(waits.data(), waits.size(), static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    for (pollfd& wait : waits) {
      if (wait.fd < 0 || wait.revents == 0) continue;
      const ssize_t size = ::read(wait.fd, chunk.data(), chunk.size());
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) {
        wait.fd = -1;
        continue;
      }
      const std::string_view bytes(chunk.data(), static_cast<std::size_t>(size));
      if (wait.fd == output) {
        parser.take(bytes);
      } else {
        complaints.take(bytes);
      }
    }
  }
  return true;
}

}  // namespace

std::optional<Ripgrep> find_ripgrep(const Ripgrep& known) {
  const auto path = os::find_program("rg");
  if (!path) return std::nullopt;
  if (*path == known.path) return known;
  const auto said = os::program_output({*path, "--version"}, std::chrono::seconds(5));
  constexpr std::string_view kName = "ripgrep ";
  if (!said || !said->starts_with(kName)) return std::nullopt;
  std::string version = said->substr(kName.size());
  version.resize(std::min(version.find_first_of(" \n"), version.size()));
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  if (major < kOldestVersion) return std::nullopt;
  return Ripgrep{*path, version};
}

Result<bool> search_with(const Ripgrep& ripgrep, const SearchPlan& plan, Findings& findings) {
  const std::size_t slash = plan.root.rfind('/');
  const std::string directory = plan.is_file ? plan.root.substr(0, slash + 1) : plan.root;
  const std::string name = plan.is_file ? plan.root.substr(slash + 1) : "";
  const auto here = os::open_file(directory, O_RDONLY | O_DIRECTORY);
  if (!here) return fail(Error::from_errno(plan.root, here.error().code()));

  auto output = os::make_pipe(1 << 20);
  if (!output) return fail(output.error());
  auto errors = os::make_pipe();
  if (!errors) return fail(errors.error());
  const std::vector<std::string> arguments = ripgrep_arguments(plan, "./" + name);
  os::SpawnSpec spec{.path = ripgrep.path.c_str(),
                     .env = os::own_environment(),
                     .fds = {-1, output->writer.get(), errors->writer.get()},
                     .cwd = directory.c_str(),
                     .new_session = false};  // what ends this process ends it, too
  for (const std::string& argument : arguments) spec.argv.push_back(argument.c_str());
  const auto pid = os::spawn_process(spec);
  if (!pid) return fail(pid.error());
  output->writer.reset();
  errors->writer.reset();

  RipgrepOutput parser(
      {.mode = plan.query.mode,
       .max_line = plan.query.max_line,
       .wanted_of = [&](const std::string& path) { return findings.wanted_of(path); },
       .on_file =
           [&](link::FoundFile file) {
             if (plan.query.mode == link::SearchMode::names) {
               const auto facts = os::file_facts(here->get(), file.path);
               if (!facts) return findings.add_flaw(file.path, std::strerror(errno));
               file.mtime_ns = facts->mtime_ns;
             }
             if (plan.is_file) file.path.clear();
             findings.add(std::move(file));
           },
       .exists =
           [&](const std::string& path) { return os::file_facts(here->get(), path).has_value(); }});
  Complaints complaints;
  const bool ended =
      read_all(output->reader.get(), errors->reader.get(), plan.until, parser, complaints);
  parser.finish();
  if (!ended) ::kill(*pid, SIGKILL);
  const int status = os::ChildProcess(*pid).wait();
  const std::string about_search = complaints.sort_out(findings);
  if (ended && WIFEXITED(status) && WEXITSTATUS(status) == 2 && !about_search.empty()) {
    return fail(ErrorKind::bad_request, about_search);
  }
  if (ended && WIFSIGNALED(status)) {
    return fail(ErrorKind::system,
                "ripgrep was ended by signal " + std::to_string(WTERMSIG(status)));
  }
  return ended;
}

}  // namespace talaria::runner
