// What this process is to the kernel, for one that lives on without its caller.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

namespace talaria::os {

void ignore_signals(std::initializer_list<int> signals);

// Orphans among our descendants become our children. `name` is what /proc and ps show.
void become_subreaper(const char* name);

// Keeps no directory of the caller's busy.
void leave_directory();

// Standard error goes to the end of that file, if it can be opened.
void append_errors_to(const std::string& path);

// The file mode creation mask. Safe while other threads make files. Nothing if the kernel does not
// say.
std::optional<std::uint32_t> own_umask();

// When memory runs out, we and what we start are ended before others: at least so much more likely
// (-1000 to 1000) than now.
void offer_memory(int score);

// Many commands mean many descriptors: takes all the kernel allows us. The limit that was, for what
// we start; 0 if it is not known.
std::uint64_t raise_descriptor_limit();

}  // namespace talaria::os
