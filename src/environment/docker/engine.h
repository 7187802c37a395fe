// Engine: the docker or podman program, and the commands Talaria runs with it. Every answer is the
// engine's own; nothing is concluded from the output of a command in a container.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/ask_program.h"

namespace talaria::environment::docker {

// Finds the program: the configured one (a path, or a name in PATH), then docker, podman, then
// where Docker Desktop puts it. For target "podman" only podman. A configured one that does not
// exist is an error: another engine may lead to another machine.
Result<std::string> find_engine(const std::string& target, const std::string& said);

// A container as `ps` lists it.
struct ListedContainer {
  std::string id;
  std::string state;  // "running", "exited", "created", ...
};

// A container as `inspect` shows it.
struct InspectedContainer {
  std::string id;
  std::string name;
  std::string state;
  std::string image;
  std::string created;      // as the engine writes times
  std::string finished_at;  // likewise
  std::string task_digest;  // our labels; empty: it has none
  std::string settings;
  std::string keep;
  std::string home;
  std::string pool;
};

class Engine {
 public:
  explicit Engine(std::string program) : program_(std::move(program)) {}

  const std::string& program() const { return program_; }

  // Identifies the engine: the program, and the host or context that the environment selects.
  std::string identity() const;

  // Whether it answers; the message says what to do if not.
  Task<Result<void>> check() const;

  // Unknown facts take the common default.
  struct Image {
    bool known = false;         // the engine answered
    bool missing = false;       // it must be pulled
    bool has_own_init = false;  // its first process is an s6 init
  };
  Task<Image> look_at(std::string image) const;
  Task<Result<void>> pull(std::string image) const;

  // Whether the disk of a container can be limited. Makes one of `image` and removes it.
  Task<bool> can_limit_disk(std::string image) const;

  // All containers with these labels, running or not.
  Task<Result<std::vector<ListedContainer>>> list(std::vector<std::string> labels) const;

  // Those of `ids` that exist; an error if the engine does not answer.
  Task<Result<std::vector<InspectedContainer>>> inspect(std::vector<std::string> ids) const;

  // Takes the parts of RunArguments; returns the id of the container.
  Task<Result<std::string>> run(std::vector<std::string> arguments,
                                std::vector<std::string> client) const;
  Task<Result<void>> start(std::string id) const;
  Task<Result<void>> unpause(std::string id) const;
  Task<Result<void>> stop(std::string id) const;
  // A missing one is not an error.
  Task<Result<void>> remove(std::string id, std::chrono::seconds patience) const;

 private:
  Task<Result<void>> command(std::vector<std::string> arguments,
                             std::chrono::seconds patience) const;
  Task<Result<ProgramAnswer>> ask(std::vector<std::string> arguments, std::chrono::seconds patience,
                                  std::vector<std::string> added = {}) const;

  std::string program_;
};

}  // namespace talaria::environment::docker
