// A process in words: for people, for programs, and as an exit code.
#pragma once

#include <talaria/asio_processes.h>

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "front/cli/terminal.h"

namespace talaria::front::cli {

// "running", "waiting for input", "exited 0", "killed", "SIGSEGV", "lost".
std::string state_words(const ProcessInfo& info);

// "exited with code 3", "was killed (process.kill)", ...: of one that has ended.
std::string end_words(const ProcessInfo& info);

// What to exit with in its place: its own code, 128+N for signal N.
int exit_code_for(const ProcessInfo& info);

boost::json::object process_json(const ProcessInfo& info);

std::string process_table(const std::vector<ProcessInfo>& processes, const TextStyle& style);

// "process 12 (sleep) could not be ended: ...".
std::string survivor_words(const Leftover& survivor);

}  // namespace talaria::front::cli
