// <home>/modal_snapshots.json: which image has the files of which task's last sandbox. Upstream
// Hermes reads and writes the same file; its older form has tasks without "direct:" in front.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/task.h"

namespace talaria::environment::modal {

// Its image, by either form.
std::optional<std::string> find_modal_snapshot(const std::string& home, const std::string& task);

// From now on it is this one, in today's form alone.
Task<Result<void>> store_modal_snapshot(std::string home, std::string task, std::string image);

// That image is gone: so is what names it as this task's, unless it names another one by now.
Task<Result<void>> drop_modal_snapshot(std::string home, std::string task, std::string image);

// Removes the entry of the task.
Task<Result<void>> forget_modal_snapshot(std::string home, std::string task);

}  // namespace talaria::environment::modal
