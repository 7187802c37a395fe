// ModalSandbox: the one at Modal that serves a task. It is found by its lease or its name, or made,
// from the snapshot of the task's last one if there is one; and found or made again when it turns
// out to be over.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "base/result.h"
#include "base/task.h"
#include "environment/lease.h"
#include "environment/modal/modal_options.h"
#include "environment/modal/modal_program.h"

namespace talaria::environment::modal {

class ModalSandbox : public std::enable_shared_from_this<ModalSandbox> {
 public:
  ModalSandbox(asio::any_io_executor executor, ModalProgram program, ModalOptions options)
      : executor_(std::move(executor)),
        program_(std::move(program)),
        options_(std::move(options)) {}

  // Finds or makes it. Others who want the same one wait for us, also other programs.
  Task<Result<void>> acquire();

  // Whether it was over: then it is acquired once more, and take_news() tells what was lost. An
  // error: that cannot be had, or nobody could be asked.
  Task<Result<bool>> replace_if_over();

  // Lets go of it. It ends, with its files kept if they are to be, unless others use it or
  // something runs in it. `remove`: it ends in any case, and nothing is kept.
  Task<Result<void>> close(bool remove);

  void used();  // now
  const std::string& id() const { return id_; }
  std::string place() const { return id_.empty() ? "" : "sandbox " + id_; }
  const ModalOptions& options() const { return options_; }
  const ModalProgram& program() const { return program_; }
  std::vector<std::string> take_news() { return std::exchange(news_, {}); }

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
  void tell(const std::string& words) const;

  asio::any_io_executor executor_;
  ModalProgram program_;
  ModalOptions options_;
  std::string id_;  // empty: there is none
  std::optional<Lease> lease_;
  std::shared_ptr<asio::steady_timer> alarm_;  // set to shortly before its time is up
  std::vector<std::string> news_;
  bool closed_ = false;
};

}  // namespace talaria::environment::modal
