// Every measurement there is, one function per row or pair of rows. Each starts what it needs,
// leaves nothing behind, and throws when it cannot measure.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "bench/row.h"

namespace talaria::bench {

struct Options {
  std::string talaria_path;
  int rounds = 300;         // of the latency rows; 200 is the least that counts
  bool short_form = false;  // a twentieth of everything: shows that a row runs, and no more

  int count(int full) const { return short_form ? std::max(1, full / 20) : full; }
  std::chrono::milliseconds time(std::chrono::milliseconds full) const {
    return short_form ? full / 10 : full;
  }
};

std::vector<Row> measure_interleaved(const Options& options);       // latency.cc
std::vector<Row> measure_back_to_back(const Options& options);      // latency.cc
std::vector<Row> measure_exec(const Options& options);              // latency.cc
std::vector<Row> measure_audit(const Options& options);             // latency.cc
std::vector<Row> measure_sessions(const Options& options);          // throughput.cc
std::vector<Row> measure_output(const Options& options);            // output.cc
std::vector<Row> measure_idle(const Options& options);              // idle.cc
std::vector<Row> measure_first_command(const Options& options);     // first_command.cc
std::vector<Row> measure_many_sessions(const Options& options);     // many_sessions.cc
std::vector<Row> measure_bursts(const Options& options);            // bursts.cc
std::vector<Row> measure_flat(const Options& options);              // flat.cc
std::vector<Row> measure_start_up(const Options& options);          // start_up.cc
std::vector<Row> measure_process_start(const Options& options);     // process_start.cc
std::vector<Row> measure_process_exit(const Options& options);      // process_exit.cc
std::vector<Row> measure_many_processes(const Options& options);    // many_processes.cc
std::vector<Row> measure_loud_process(const Options& options);      // loud_process.cc
std::vector<Row> measure_restart(const Options& options);           // restart.cc
std::vector<Row> measure_files(const Options& options);             // files.cc
std::vector<Row> measure_file_writes(const Options& options);       // file_writes.cc
std::vector<Row> measure_scripts(const Options& options);           // scripts.cc
std::vector<Row> measure_guard(const Options& options);             // guard.cc
std::vector<Row> measure_gateway(const Options& options);           // gateway.cc
std::vector<Row> measure_idle_connections(const Options& options);  // idle_connections.cc
std::vector<Row> measure_mcp(const Options& options);               // mcp.cc
std::vector<Row> measure_carriers(const Options& options);          // carriers.cc
std::vector<Row> measure_targets(const Options& options);           // targets.cc
std::vector<Row> measure_environments(const Options& options);      // environments.cc
std::vector<Row> measure_pools(const Options& options);             // pools.cc

}  // namespace talaria::bench
