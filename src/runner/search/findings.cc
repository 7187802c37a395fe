#include "runner/search/findings.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runner/limits.h"

namespace talaria::runner {
namespace {

std::uint64_t results_wanted(const link::SearchFiles& query) {
  const std::uint64_t most = kMaxFound - std::min(query.offset, kMaxFound);
  const std::uint64_t limit = query.limit == 0 ? kMaxShown : std::min(query.limit, kMaxShown);
  return std::min(limit, most);
}

std::size_t bytes_of_line(const link::FoundLine& line) {
  return sizeof(link::FoundLine) + line.text.size();
}

}  // namespace

void FileLines::add(link::FoundLine line) {
  bytes_ += bytes_of_line(line);
  full_ |= bytes_ > kMaxFoundInFile;
  if (!full_) lines_.push_back(std::move(line));
}

bool path_before(std::string_view a, std::string_view b) {
  const auto differ = std::ranges::mismatch(a, b);
  if (differ.in2 == b.end()) return false;
  if (differ.in1 == a.end()) return true;
  const auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c); };
  return rank(*differ.in1) < rank(*differ.in2);
}

bool Findings::Order::operator()(const link::FoundFile& a, const link::FoundFile& b) const {
  if (a.mtime_ns != b.mtime_ns) return a.mtime_ns > b.mtime_ns;
  return path_before(a.path, b.path);
}

Findings::Findings(const link::SearchFiles& query)
    : mode_(query.mode),
      offset_(query.offset),
      limit_(results_wanted(query)),
      context_(query.context) {}

std::uint64_t Findings::weight(const link::FoundFile& file, link::SearchMode mode) {
  if (mode != link::SearchMode::content) return 1;
  return static_cast<std::uint64_t>(
      std::ranges::count(file.lines, false, &link::FoundLine::context));
}

std::size_t Findings::bytes_of(const link::FoundFile& file) {
  std::size_t bytes = sizeof(link::FoundFile) + file.path.size();
  for (const link::FoundLine& line : file.lines) bytes += bytes_of_line(line);
  return bytes;
}

std::uint64_t Findings::wanted_of(const std::string& path) const {
  if (mode_ != link::SearchMode::content) return 0;
  const std::lock_guard lock(mutex_);
  if (last_path_ && path_before(*last_path_, path)) return 0;
  const std::uint64_t most = offset_ + limit_ + 1;
  if (found_results_ < most || found_.empty()) return most;
  return path_before(path, found_.rbegin()->first.path) ? most : 0;
}

void Findings::add(link::FoundFile file) {
  const std::lock_guard lock(mutex_);
  totals_.total_lines += file.matches;
  ++totals_.total_files;
  const std::uint64_t results = weight(file, mode_);
  if (results == 0) return;
  const bool lacks_lines =
      mode_ == link::SearchMode::content && results < std::min(file.matches, offset_ + limit_ + 1);
  if (lacks_lines && (!last_path_ || path_before(file.path, *last_path_))) last_path_ = file.path;
  found_results_ += results;
  found_bytes_ += bytes_of(file);
  found_.emplace(std::move(file), results);
  drop_far();
}

void Findings::drop_far() {
  const std::uint64_t most = offset_ + limit_ + 1;
  out_of_memory_ |= last_path_.has_value();
  while (found_.size() > 1) {
    const auto last = std::prev(found_.end());
    const bool enough = found_results_ - last->second >= most;
    const bool is_behind = last_path_ && path_before(*last_path_, last->first.path);
    if (!enough && !is_behind && found_bytes_ <= kMaxFoundBytes) return;
    out_of_memory_ |= !enough;
    found_results_ -= last->second;
    found_bytes_ -= bytes_of(last->first);
    found_.erase(last);
  }
}

void Findings::add_flaw(std::string path, std::string reason) {
  const std::lock_guard lock(mutex_);
  ++totals_.total_failed;
  if (totals_.failed.size() >= kMaxSearchFlaws) return;
  totals_.failed.push_back({std::move(path), std::move(reason)});
}

// Of the lines that match those from `skip` on, and what stands around them.
bool Findings::show(link::SearchReport& report, const link::FoundFile& file, std::uint64_t skip,
                    std::uint64_t most) {
  link::FoundFile shown{.path = file.path, .matches = file.matches, .mtime_ns = file.mtime_ns};
  std::vector<std::uint64_t> numbers;
  for (const link::FoundLine& line : file.lines) {
    if (line.context) continue;
    if (skip > 0) {
      --skip;
    } else if (numbers.size() < most) {
      numbers.push_back(line.number);
    }
  }
  const auto is_near = [&](std::uint64_t number) {
    const auto next = std::ranges::lower_bound(numbers, number);
    if (next != numbers.end() && *next - number <= context_) return true;
    return next != numbers.begin() && number - *std::prev(next) <= context_;
  };
  bool full = false;
  for (const link::FoundLine& line : file.lines) {
    const bool wanted =
        line.context ? is_near(line.number) : std::ranges::binary_search(numbers, line.number);
    if (!wanted) continue;
    if (shown_bytes_ + line.text.size() > kMaxShownBytes) {
      full = true;
      break;
    }
    shown_bytes_ += line.text.size();
    shown.lines.push_back(line);
  }
  if (mode_ != link::SearchMode::content || !shown.lines.empty())
    report.files.push_back(std::move(shown));
  return !full;
}

Result<link::SearchReport> Findings::report() {
  const std::lock_guard lock(mutex_);
  link::SearchReport report = totals_;
  if (out_of_memory_ && found_results_ <= offset_) {
    return fail(ErrorKind::limit,
                "what comes before offset " + std::to_string(offset_) +
                    " takes too much memory; narrow the search, or have less of each line");
  }
  std::ranges::sort(report.failed, path_before, &link::FileFlaw::path);
  std::uint64_t skip = offset_;
  std::uint64_t left = limit_;
  report.more = out_of_memory_ || found_results_ > offset_ + limit_;
  for (const auto& [file, results] : found_) {
    if (left == 0) break;
    if (skip >= results) {
      skip -= results;
      continue;
    }
    const std::uint64_t here = std::min(left, results - skip);
    if (!show(report, file, skip, here)) {
      report.more = true;
      break;
    }
    left -= here;
    skip = 0;
  }
  return report;
}

}  // namespace talaria::runner
