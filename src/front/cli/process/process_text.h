// A process as text for people, as JSON, and as an exit code.
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "api/asio_processes.h"
#include "front/cli/text_style.h"

namespace talaria::front::cli {

// "running", "waiting for input", "exited 0", "killed", "SIGSEGV", "lost".
std::string state_text(const ProcessInfo& info);

// "exited with code 3", "was killed (process.kill)", ...; the process has ended.
std::string end_text(const ProcessInfo& info);
// "ID had already ended: it exited with code 0".
std::string already_ended(const ProcessInfo& info);
// Of an unknown process: where the IDs are listed.
Error with_advice(const Error& error);

// The exit code that stands for it: its own code, or 128+N for signal N.
int exit_code_for(const ProcessInfo& info);

boost::json::object process_json(const ProcessInfo& info);

std::string process_table(const std::vector<ProcessInfo>& processes, const TextStyle& style);

}  // namespace talaria::front::cli
