// A file of the home that maps tasks to snapshots of their files, as one JSON object.
// Upstream Hermes writes such files, too; entries of other programs stay.
#pragma once

#include <functional>
#include <string>

#include <boost/json/object.hpp>

#include "base/result.h"
#include "base/task.h"

namespace talaria::environment {

namespace json = boost::json;

struct SnapshotFile {
  std::string home;
  std::string name;     // "singularity_snapshots": the file is <home>/NAME.json
  bool pretty = false;  // one entry per line
  // An unreadable file is renamed and replaced; otherwise it stays, and that is an error, because
  // it may belong to another program.
  bool starts_anew = false;
};

// Its content; empty if there is none, or it is unreadable.
json::object read_snapshots(const SnapshotFile& file);

// Replaces it in one step, one program at a time; it is not written if nothing changed.
Task<Result<void>> change_snapshots(SnapshotFile file, std::function<void(json::object&)> change);

}  // namespace talaria::environment
