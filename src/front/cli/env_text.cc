#include "front/cli/env_text.h"

#include <cstdio>

#include <boost/json/array.hpp>

#include "front/cli/report.h"
#include "front/cli/table.h"
#include "front/totals_json.h"

namespace talaria::front::cli {
namespace {

std::string state_of(const RunnerEntry& entry) {
  if (!entry.trouble.empty()) return "silent";
  return entry.running ? "running" : "stopped";
}

Look look_of(const RunnerEntry& entry) {
  if (!entry.trouble.empty()) return Look::bad;
  return entry.running ? Look::plain : Look::faint;
}

// Without its sessions and commands.
json::object summary(const RunnerEntry& entry) {
  json::object object{{"id", entry.id},
                      {"target", "local"},
                      {"state", state_of(entry)},
                      {"directory", entry.directory}};
  if (entry.running) {
    object["pid"] = entry.running->pid;
    object["version"] = entry.running->version;
    object["uptime_ms"] = entry.running->uptime.count();
    object["links"] = entry.running->links;
  }
  if (!entry.trouble.empty()) object["trouble"] = entry.trouble;
  return object;
}

std::string disk_text(double megabytes) {
  char text[32];
  std::snprintf(text, sizeof text, megabytes < 10 ? "%.1f MB" : "%.0f MB", megabytes);
  return text;
}

std::string name_of(const std::string& session) { return session.empty() ? "-" : session; }

std::string runners_text(const std::vector<RunnerEntry>& entries, const TextStyle& style) {
  Table table({"ID", "STATE", "PID", "VERSION", "UPTIME", "CONNECTIONS", "SESSIONS", "COMMANDS"});
  for (const RunnerEntry& entry : entries) {
    const std::string sessions = std::to_string(entry.sessions.size());
    if (!entry.running) {
      table.add({entry.id, state_of(entry), "-", "-", "-", "-", sessions, "-"}, look_of(entry));
      continue;
    }
    const RunnerReport& report = *entry.running;
    table.add({entry.id, state_of(entry), std::to_string(report.pid), report.version,
               duration_text(report.uptime), std::to_string(report.links), sessions,
               std::to_string(report.commands.size())},
              look_of(entry));
  }
  return table.drawn(style);
}

std::string pools_text(const std::vector<PoolInfo>& pools, const TextStyle& style) {
  Table table({"POOL", "IMAGE", "WAITING", "SIZE"});
  for (const PoolInfo& pool : pools) {
    table.add({pool.target, pool.image.empty() ? "-" : pool.image, std::to_string(pool.waiting),
               pool.filled ? std::to_string(pool.size) : "-"},
              pool.filled ? Look::plain : Look::faint);
  }
  return table.drawn(style);
}

json::array pools_json(const std::vector<PoolInfo>& pools) {
  json::array list;
  for (const PoolInfo& pool : pools) {
    json::object one{{"target", pool.target},
                     {"waiting", pool.waiting},
                     {"size", pool.size},
                     {"filled", pool.filled}};
    if (!pool.image.empty()) one["image"] = pool.image;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

std::string env_list_text(const std::vector<RunnerEntry>& entries,
                          const std::vector<KnownPlace>& places, const std::vector<PoolInfo>& pools,
                          const EnvironmentTotals& totals, const TextStyle& style) {
  if (entries.empty() && places.empty() && pools.empty()) return "No environments.\n";
  std::string text = entries.empty() ? "" : runners_text(entries, style);
  if (!pools.empty()) text += (text.empty() ? "" : "\n") + pools_text(pools, style);
  if (places.empty()) return text;
  Table table({"ID", "TARGET", "PLACE", "LAST USE", ""});
  for (const KnownPlace& one : places) {
    table.add({one.id, one.target, one.place, age_text(one.last_use) + " ago",
               one.in_use ? "in use" : ""},
              one.in_use ? Look::plain : Look::faint);
  }
  text += (text.empty() ? "" : "\n") + table.drawn(style);
  return text + "\n" + disk_text(totals.disk_mb) +
         " of files are stored for them on this machine.\n";
}

json::object env_list_json(const std::vector<RunnerEntry>& entries,
                           const std::vector<KnownPlace>& places,
                           const std::vector<PoolInfo>& pools, const EnvironmentTotals& totals) {
  json::array list;
  for (const RunnerEntry& entry : entries) {
    json::object one = summary(entry);
    one["sessions"] = entry.sessions.size();
    if (entry.running) one["commands"] = entry.running->commands.size();
    list.push_back(std::move(one));
  }
  for (const KnownPlace& one : places) {
    list.push_back(place_json(one));
  }
  json::object object{{"environments", std::move(list)}};
  if (!pools.empty()) object["pools"] = pools_json(pools);
  add_totals(object, totals);
  return object;
}

std::string place_text(const KnownPlace& place) {
  return one_line(place.id) + ": " + one_line(place.place) + " at target " + place.target +
         ", profile " + one_line(place.profile) + ", " +
         (place.in_use ? "in use" : "last used " + age_text(place.last_use) + " ago") + "\n";
}

json::object place_json(const KnownPlace& place) {
  return {{"id", place.id},
          {"target", place.target},
          {"state", place.in_use ? "in use" : "idle"},
          {"place", place.place},
          {"profile", place.profile},
          {"idle_ms", age_of(place.last_use).count()}};
}

std::string env_text(const RunnerEntry& entry, const TextStyle& style) {
  std::string text =
      one_line(entry.id) + ": " + state_of(entry) + ", in " + one_line(entry.directory) + "\n";
  if (!entry.trouble.empty()) text += one_line(entry.trouble) + "\n";
  if (entry.running) {
    text += "runner " + std::to_string(entry.running->pid) + ", version " +
            one_line(entry.running->version) + ", up " + duration_text(entry.running->uptime) +
            ", " + counted(entry.running->links, "connection") + "\n";
  }
  if (!entry.sessions.empty()) {
    Table sessions({"SESSION", "DIRECTORY", "LAST USE"});
    for (const StoredSession& one : entry.sessions) {
      sessions.add({one.id, one.cwd, age_text(one.last_use) + " ago"});
    }
    text += "\n" + sessions.drawn(style);
  }
  if (entry.running && !entry.running->commands.empty()) {
    Table commands({"PID", "SESSION", "RUNS FOR", "COMMAND"});
    for (const RunnerCommand& one : entry.running->commands) {
      commands.add(
          {std::to_string(one.pid), name_of(one.session), duration_text(one.age), one.command});
    }
    text += "\n" + commands.drawn(style);
  }
  return text;
}

json::object env_json(const RunnerEntry& entry) {
  json::object object = summary(entry);
  json::array sessions;
  for (const StoredSession& one : entry.sessions) {
    sessions.push_back(json::object{
        {"session", one.id}, {"cwd", one.cwd}, {"idle_ms", age_of(one.last_use).count()}});
  }
  object["sessions"] = std::move(sessions);
  json::array commands;
  if (entry.running) {
    for (const RunnerCommand& one : entry.running->commands) {
      commands.push_back(json::object{{"pid", one.pid},
                                      {"session", one.session},
                                      {"age_ms", one.age.count()},
                                      {"command", one.command}});
    }
  }
  object["commands"] = std::move(commands);
  return object;
}

std::string stopped_text(const std::vector<StoppedRunner>& all) {
  if (all.empty()) return "No runner was running.\n";
  std::string text;
  for (const StoppedRunner& one : all) {
    if (one.refused) continue;
    if (one.left > 0) {
      text += "ended " + std::to_string(one.left) + " left by a killed runner of " + one.id + "\n";
    }
    if (one.before.pid == 0) continue;
    const std::size_t commands = one.before.commands.size();
    text += "stopped the runner of " + one.id + " (PID " + std::to_string(one.before.pid) + ")" +
            (commands == 0 ? "" : " and ended " + counted(commands, "command")) + "\n";
  }
  return text;
}

json::object stopped_json(const std::vector<StoppedRunner>& all) {
  json::array stopped, refused;
  for (const StoppedRunner& one : all) {
    if (one.refused) {
      refused.push_back(json::object{{"id", one.id}, {"error", one.refused->message()}});
    } else {
      stopped.push_back(json::object{{"id", one.id},
                                     {"pid", one.before.pid},
                                     {"commands", one.before.commands.size()},
                                     {"left", one.left}});
    }
  }
  return {{"stopped", std::move(stopped)}, {"refused", std::move(refused)}};
}

}  // namespace talaria::front::cli
