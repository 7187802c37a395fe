#include "edit/v4a.h"

#include <algorithm>
#include <ranges>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "edit/lines.h"
#include "edit/shown.h"

namespace talaria::edit {
namespace {

using LineKind = HunkLine::Kind;

// What follows `word` in `text`, if it begins with it.
std::optional<std::string_view> after(std::string_view text, std::string_view word) {
  if (!text.starts_with(word)) return std::nullopt;
  return text.substr(word.size());
}

// What follows "***" and blanks, at the start of a line.
std::optional<std::string_view> after_stars(std::string_view line) {
  const auto rest = after(line, "***");
  if (!rest) return std::nullopt;
  return rest->substr(indent_of(*rest).size());
}

bool is_marker(std::string_view line, std::string_view marker) {
  const auto rest = after_stars(line);
  return rest && rest->starts_with(marker);
}

bool is_fence(std::string_view line) {
  line = trim(line);
  return line.starts_with("```") || line.starts_with("~~~");
}

struct Header {
  std::string_view word;  // "Update"
  std::string_view path;
};

// "*** Word File: path"
std::optional<Header> read_header(std::string_view line) {
  const auto rest = after_stars(line);
  if (!rest) return std::nullopt;
  const std::size_t end = rest->find_first_of(" \t");
  if (end == 0 || end == std::string_view::npos) return std::nullopt;
  const auto path = after(rest->substr(end).substr(indent_of(rest->substr(end)).size()), "File:");
  if (!path) return std::nullopt;
  return Header{rest->substr(0, end), trim(*path)};
}

std::optional<PatchAction> action_of(std::string_view word) {
  if (word == "Add") return PatchAction::add;
  if (word == "Update") return PatchAction::update;
  if (word == "Delete") return PatchAction::remove;
  if (word == "Move") return PatchAction::move;
  return std::nullopt;
}

std::string name_of(const PatchOperation& operation) {
  switch (operation.action) {
    case PatchAction::add:
      return "ADD '" + operation.path + "'";
    case PatchAction::update:
      return "UPDATE '" + operation.path + "'";
    case PatchAction::remove:
      return "DELETE '" + operation.path + "'";
    case PatchAction::move:
      return "MOVE '" + operation.path + "'";
  }
  return "";
}

// The lines that belong to the patch: between its markers, or between code fences around it.
struct Body {
  std::vector<std::string_view> lines;
  std::size_t first = 0;               // the index of the first one in the text
  std::optional<std::size_t> another;  // where a second patch begins
};

Body find_body(std::vector<std::string_view> lines) {
  const auto is_begin = [](std::string_view line) { return is_marker(line, "Begin Patch"); };
  const auto is_end = [](std::string_view line) { return is_marker(line, "End Patch"); };
  auto begin = std::ranges::find_if(lines, is_begin);
  const bool begins = begin != lines.end();
  if (!begins) begin = lines.begin();
  auto end = std::find_if(begin, lines.end(), is_end);
  Body body;
  if (begins) {
    // Prose may quote the marker: the last one before the end is the patch's own.
    for (auto next = begin; next != end; ++next) {
      if (is_begin(*next)) begin = next + 1;
    }
  }
  if (const auto next = std::find_if(end, lines.end(), is_begin); next != lines.end()) {
    body.another = static_cast<std::size_t>(next - lines.begin());
  }
  const auto header =
      std::find_if(begin, end, [](auto line) { return read_header(line).has_value(); });
  if (end == lines.end() && std::find_if(lines.begin(), header, is_fence) != header) {
    while (end != header && trim(*(end - 1)).empty()) --end;
    if (end != header && is_fence(*(end - 1))) --end;
  }
  body.first = static_cast<std::size_t>(begin - lines.begin());
  body.lines.assign(begin, end);
  return body;
}

class PatchParser {
 public:
  std::expected<std::vector<PatchOperation>, std::string> run(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::string_view line : split_lines(text)) {
      if (line.ends_with('\r')) line.remove_suffix(1);
      lines.push_back(line);
    }
    const Body body = find_body(std::move(lines));
    number_ = body.first;
    for (const std::string_view line : body.lines) {
      ++number_;
      read(line);
    }
    finish();
    if (body.another) {
      problem(*body.another + 1,
              "a second patch begins behind the end of the first one; send one patch");
    } else if (operations_.empty() && problems_.empty()) {
      problems_ = "no operations found";
    }
    if (!problems_.empty()) {
      return std::unexpected("Failed to parse patch: Parse error: " + problems_);
    }
    return std::move(operations_);
  }

 private:
  void read(std::string_view line) {
    if (const auto header = read_header(line)) {
      finish();
      begin(*header);
      return;
    }
    if (!current_) return;  // prose in front of the patch
    switch (current_->action) {
      case PatchAction::add:
        read_added(line);
        break;
      case PatchAction::update:
        read_update(line);
        break;
      case PatchAction::remove:
        break;
      case PatchAction::move:
        read_behind_move(line);
        break;
    }
  }

  void begin(const Header& header) {
    const auto action = action_of(header.word);
    if (!action) {
      problem(number_, "unknown operation '" + shown_line(header.word) + "'");
      return;
    }
    current_ = PatchOperation{.action = *action, .patch_line = number_};
    complained_ = false;
    blank_lines_ = 0;
    std::string_view path = header.path;
    if (*action == PatchAction::move) {
      const std::size_t arrow = path.find("->");
      if (arrow != std::string_view::npos) {
        current_->move_to = trim(path.substr(arrow + 2));
        path = trim(path.substr(0, arrow));
      }
    }
    current_->path = path;
  }

  void finish() {
    if (!current_) return;
    finish_hunk();
    PatchOperation& operation = *current_;
    const bool moves = !operation.move_to.empty();
    if (operation.path.empty()) {
      complain(operation.patch_line, "empty path");
    } else if (operation.action == PatchAction::move && !moves) {
      complain(operation.patch_line, "no destination (source -> destination)");
    } else if (operation.action == PatchAction::update && operation.hunks.empty() && !moves) {
      complain(operation.patch_line, "no hunks found");
    }
    operations_.push_back(std::move(operation));
    current_.reset();
  }

  void read_added(std::string_view line) {
    if (line.empty()) {
      ++blank_lines_;  // of the file if more follows, else of the patch
    } else if (line.front() == '+') {
      current_->content.append(std::exchange(blank_lines_, 0), '\n');
      current_->content.append(line.substr(1)).append("\n");
    } else if (line.front() == '\\') {
      if (current_->content.ends_with('\n')) current_->content.pop_back();
    } else if (!is_marker(line, "End of File")) {
      complain(number_,
               "a line of a new file begins with '+', this one does not: " + shown_line(line));
    }
  }

  // A file may be edited under its new name, but by an update of its own.
  void read_behind_move(std::string_view line) {
    if (line.starts_with("@@") || line.starts_with('+') || line.starts_with('-')) {
      complain(number_,
               "a move cannot contain lines to change; use '*** Update File' with '*** Move to'");
    }
  }

  void read_update(std::string_view line) {
    if (const auto rest = after_stars(line)) {
      if (const auto target = after(*rest, "Move to:")) {
        current_->move_to = trim(*target);
        if (current_->move_to.empty()) complain(number_, "no destination");
        return;
      }
      if (is_marker(line, "End of File")) {
        hunk().at_end = true;
        finish_hunk();
        return;
      }
    }
    if (const auto rest = after(line, "@@")) {
      if (hunk_ && !hunk_->lines.empty()) finish_hunk();
      const std::string_view hint = trim(rest->substr(0, rest->find("@@")));
      if (!hint.empty()) hunk().hints.emplace_back(hint);
      return;
    }
    read_hunk_line(line);
  }

  void read_hunk_line(std::string_view line) {
    const char first = line.empty() ? ' ' : line.front();
    if (first == '\\') return;
    const bool marked = !line.empty() && (first == '+' || first == '-' || first == ' ');
    const LineKind kind = first == '+'   ? LineKind::added
                          : first == '-' ? LineKind::removed
                                         : LineKind::context;
    hunk().lines.push_back({kind, std::string(marked ? line.substr(1) : line)});
    bare_.push_back(line.empty());
  }

  Hunk& hunk() {
    if (!hunk_) hunk_ = Hunk{.patch_line = number_};
    return *hunk_;
  }

  // Blank lines without a column of their own: at the end of a hunk they belong to the patch, not
  // to the file. Between added lines, where nothing else says where the place is, they are added
  // too.
  void finish_hunk() {
    if (!hunk_) return;
    std::vector<HunkLine>& lines = hunk_->lines;
    while (!lines.empty() && bare_.back()) {
      lines.pop_back();
      bare_.pop_back();
    }
    const bool only_adds = std::ranges::all_of(
        std::views::iota(0uz, lines.size()),
        [&](std::size_t i) { return bare_[i] || lines[i].kind == LineKind::added; });
    if (only_adds) {
      const auto first = std::ranges::find(lines, LineKind::added, &HunkLine::kind);
      lines.erase(lines.begin(), first);
      for (HunkLine& line : lines) line.kind = LineKind::added;
    }
    if (!lines.empty()) current_->hunks.push_back(std::move(*hunk_));
    hunk_.reset();
    bare_.clear();
  }

  // One problem of an operation is enough: the others mostly follow from it.
  void complain(std::size_t line, const std::string& what) {
    if (!std::exchange(complained_, true)) problem(line, name_of(*current_) + ": " + what);
  }

  void problem(std::size_t line, const std::string& what) {
    if (!problems_.empty()) problems_ += "; ";
    problems_ += "line " + std::to_string(line) + ": " + what;
  }

  std::size_t number_ = 0;  // of the line that is read, from 1
  std::vector<PatchOperation> operations_;
  std::string problems_;
  std::optional<PatchOperation> current_;
  bool complained_ = false;      // about the current operation
  std::size_t blank_lines_ = 0;  // of a new file, so far without anything behind them
  std::optional<Hunk> hunk_;
  std::vector<bool> bare_;  // by line of the hunk: it was entirely empty
};

}  // namespace

std::expected<std::vector<PatchOperation>, std::string> parse_patch(std::string_view text) {
  return PatchParser().run(text);
}

std::vector<std::string> patch_paths(const std::vector<PatchOperation>& operations) {
  std::vector<std::string> paths;
  std::unordered_set<std::string_view> known;
  const auto add = [&](const std::string& path) {
    if (!path.empty() && known.insert(path).second) paths.push_back(path);
  };
  for (const PatchOperation& operation : operations) {
    add(operation.path);
    add(operation.move_to);
  }
  return paths;
}

std::optional<std::string> find_traversal(const std::vector<PatchOperation>& operations) {
  for (const std::string& path : patch_paths(operations)) {
    for (std::string_view rest = path; !rest.empty();) {
      if (next_word(rest, '/') != "..") continue;
      return "V4A patch header contains '..' traversal: '" + path +
             "'. Name files below the working directory, or by their absolute path.";
    }
  }
  return std::nullopt;
}

}  // namespace talaria::edit
