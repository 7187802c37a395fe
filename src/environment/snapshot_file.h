// A file of the home that says which snapshot has the files of which task, as one JSON object.
// Upstream Hermes writes such files, too; what others have in one stays.
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
  bool pretty = false;  // an entry a line
  // One that is there and cannot be read is set aside and begun anew; else it is left alone, and
  // that is an error: it may be somebody's.
  bool starts_anew = false;
};

// What it says; empty if there is none, or none that can be read.
json::object read_snapshots(const SnapshotFile& file);

// Changes it in one step, one program at a time; it is not written if nothing changed.
Task<Result<void>> change_snapshots(SnapshotFile file, std::function<void(json::object&)> change);

}  // namespace talaria::environment
