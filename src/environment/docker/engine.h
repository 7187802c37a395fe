// Engine: the docker or podman program, and the questions Talaria asks it. Every answer is the
// engine's own; nothing is concluded from what a command in a container printed.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/ask_program.h"

namespace talaria::environment::docker {

// Which program it is: what the user says (a path, or a name in PATH), then docker, podman, then
// where Docker Desktop puts it. For target "podman" only podman. `notice`: what the user said is
// not there.
struct EngineProgram {
  std::string path;
  std::string notice;
};
Result<EngineProgram> find_engine(const std::string& target, const std::string& said);

// A container as `ps` lists it.
struct ListedContainer {
  std::string id;
  std::string state;  // "running", "exited", "created", ...
};

// And as `inspect` knows it.
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
};

class Engine {
 public:
  explicit Engine(std::string program) : program_(std::move(program)) {}

  const std::string& program() const { return program_; }

  // Which engine it is: the program, and which of its engines the environment says it talks to.
  std::string identity() const;

  // Whether it answers; the message says what to do if not.
  Task<Result<void>> check() const;

  // What cannot be found out is as it is most often.
  struct Image {
    bool known = false;         // the engine has said so
    bool missing = false;       // it would have to be pulled
    bool has_own_init = false;  // its first process is an s6 init
  };
  Task<Image> look_at(std::string image) const;
  Task<Result<void>> pull(std::string image) const;

  // Whether a container's disk can be limited. Makes one of `image` and removes it.
  Task<bool> can_limit_disk(std::string image) const;

  // All that have these labels, running or not.
  Task<Result<std::vector<ListedContainer>>> list(std::vector<std::string> labels) const;

  // Those of `ids` that are there; an error if the engine does not answer.
  Task<Result<std::vector<InspectedContainer>>> inspect(std::vector<std::string> ids) const;

  // `words` as run_words() makes them. Its id.
  Task<Result<std::string>> run(std::vector<std::string> words,
                                std::vector<std::string> client) const;
  Task<Result<void>> start(std::string id) const;
  Task<Result<void>> unpause(std::string id) const;
  Task<Result<void>> stop(std::string id) const;
  // It is no error if it is not there.
  Task<Result<void>> remove(std::string id, std::chrono::seconds patience) const;

 private:
  Task<Result<ProgramAnswer>> ask(std::vector<std::string> words, std::chrono::seconds patience,
                                  std::vector<std::string> added = {}) const;

  std::string program_;
};

}  // namespace talaria::environment::docker
