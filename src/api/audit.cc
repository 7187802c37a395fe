#include <talaria/audit.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "json/fields.h"
#include "json/json_text.h"
#include "os/directory.h"
#include "policy/audit/audit_log.h"

namespace talaria {
namespace {

namespace fs = std::filesystem;

// The full ones in order, then the one that is written to.
std::vector<std::string> files_of(const std::string& home) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(policy::audit_directory(home), error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("audit-") && name.ends_with(".jsonl")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  files.push_back(policy::audit_file(home));
  return files;
}

bool is_meant(const std::string& text, const AuditQuery& query) {
  const auto line = parse_object(text, "a line of the log");
  if (!line) return false;
  if (!query.task.empty() && text_field(*line, "task") != query.task) return false;
  if (query.decisions_only && text_field(*line, "kind") != "decision") return false;
  return text_field(*line, "time") >= query.since;
}

}  // namespace

Result<void> read_audit(const std::string& home, const AuditQuery& query,
                        const std::function<bool(std::string_view line)>& take) {
  if (const auto readable = os::check_names(policy::audit_directory(home)); !readable) {
    return fail(readable.error());
  }
  for (const std::string& path : files_of(home)) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::exists(status) && !fs::is_regular_file(status)) {  // a pipe would have us wait
      return fail(ErrorKind::denied, path + " is not a file; move it away");
    }
    std::ifstream file(path);
    if (!file && fs::exists(status)) {
      return fail(ErrorKind::denied, path + " cannot be read");
    }
    for (std::string line; std::getline(file, line);) {
      if (is_meant(line, query) && !take(line)) return {};
    }
  }
  return {};
}

}  // namespace talaria
