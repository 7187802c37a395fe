// Converts processes and events between the messages of the link and talaria/process.h and event.h.
#pragma once

#include <talaria/event.h>
#include <talaria/process.h>

#include <string>

#include "environment/processes.h"
#include "link/messages.h"
#include "link/runner_event.h"

namespace talaria::environment {

link::ProcessLifetime to_link(Lifespan lifespan);
link::TerminalSize to_link(const ScreenSize& size);
link::ProcessLimits to_link(const ProcessCaps& caps);

ProcessInfo from_link(link::ProcessEntry entry);
// Only what a report of its end contains; the rest is default.
ProcessInfo from_link(link::ExitReport report);
NumberedEvent from_link(link::RunnerEvent event, const std::string& target);
std::vector<Leftover> from_link(std::vector<link::Survivor> survivors);

}  // namespace talaria::environment
