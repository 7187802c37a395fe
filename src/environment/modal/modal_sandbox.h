// ModalSandbox: the sandbox at Modal that serves a task. It is found by its lease or its name, or
// made from the snapshot of the task's last one if there is one; and found or made again when it
// has ended.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "base/result.h"
#include "base/task.h"
#include "environment/modal/modal_program.h"
#include "environment/target_instance.h"

namespace talaria::environment::modal {

class ModalSandbox final : public TargetInstance,
                           public std::enable_shared_from_this<ModalSandbox> {
 public:
  ModalSandbox(asio::any_io_executor executor, ModalProgram program, ModalConfig config,
               EnvironmentSpec spec)
      : TargetInstance(std::move(spec)),
        executor_(std::move(executor)),
        program_(std::move(program)),
        config_(std::move(config)) {}

  // Finds or makes it. Other calls and programs that want the same one wait meanwhile.
  Task<Result<void>> acquire();

  // Whether it had ended: then it is acquired once more, and take_news() reports what was lost. An
  // error: there is no other one, or Modal does not answer.
  Task<Result<bool>> replace_if_over();

  // Releases it. It ends, with a snapshot if its files are kept, unless another program uses it or
  // a process runs in it. One without a snapshot stays if its files are needed (leave_files()).
  // `remove`: it ends in any case, and no files are kept.
  Task<Result<void>> close(bool remove) override;

  const std::string& id() const { return id_; }
  std::string place() const override { return id_.empty() ? "" : "sandbox " + id_; }
  EnvironmentLimits limits() const override;
  const ModalProgram& program() const { return program_; }

 private:
  Task<Result<void>> find_or_make();
  Task<Result<bool>> find_by_lease();
  Task<Result<bool>> find_by_name();
  Task<Result<void>> make();
  Task<ModalResult<MadeSandbox>> make_from(json::object image);
  Result<void> adopt(const std::string& id);
  Task<bool> runs(std::string id);
  Task<Result<void>> close_unneeded(LeaseFacts facts);
  LeaseFacts lease_facts(const std::string& id) const;
  void watch_its_end();
  static Task<void> keep_in_time(std::weak_ptr<ModalSandbox> weak, std::string id,
                                 std::shared_ptr<asio::steady_timer> alarm);
  void report(const std::string& text) const;

  asio::any_io_executor executor_;
  ModalProgram program_;
  ModalConfig config_;
  std::string id_;                             // empty: there is none
  std::shared_ptr<asio::steady_timer> alarm_;  // set to shortly before its time is up
};

}  // namespace talaria::environment::modal
