// Totals of environments, for `talaria env list --json` and env.list.
#pragma once

#include <talaria/environment.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace talaria::front {

inline void add_totals(boost::json::object& object, const EnvironmentTotals& totals) {
  boost::json::object workdirs;
  for (const auto& [task, directory] : totals.workdirs) workdirs[task] = directory;
  object["count"] = totals.count;
  object["task_ids"] = boost::json::array(totals.tasks.begin(), totals.tasks.end());
  object["workdirs"] = std::move(workdirs);
  object["total_disk_usage_mb"] = totals.disk_mb;
}

}  // namespace talaria::front
