// ModalProgram: talaria-modal, the program of ours that speaks Modal's protocol, a verb per call.
// The account is passed in variables, never in arguments, which others could read.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/result.h"
#include "base/task.h"
#include "environment/ask_program.h"
#include "environment/carrier/carrier_run.h"
#include "environment/modal/credentials.h"

namespace talaria::environment::modal {

namespace json = boost::json;

// Why a verb failed. `error` has the request and the answer of the vendor.
struct ModalFailure {
  Error error;
  std::string call;    // of Modal's: "SandboxCreateV2"; empty: it never came to one
  std::string status;  // gRPC's name for it; empty: the failure is our own
};

template <class T>
using ModalResult = std::expected<T, ModalFailure>;

struct MadeSandbox {
  std::string sandbox;
  std::string image;
};

struct SandboxState {
  bool running = false;
  std::string result = {};   // once it is over: "TIMEOUT", "TERMINATED", "NOT_FOUND", ...
  std::string message = {};  // what Modal says about that
};

class ModalProgram {
 public:
  ModalProgram(std::string path, ModalAccount account)
      : path_(std::move(path)), account_(std::move(account)) {}

  // See docs of the program for what it takes. `*this` must outlive the calls.
  Task<ModalResult<MadeSandbox>> create(json::object request) const;
  // The one that runs under that name; nothing if there is none.
  Task<ModalResult<std::optional<std::string>>> find(std::string app, std::string name) const;
  Task<ModalResult<SandboxState>> look(std::string sandbox) const;
  // The id of an image with its files.
  Task<ModalResult<std::string>> snapshot(std::string sandbox) const;
  // A missing one is not an error.
  Task<ModalResult<void>> terminate(std::string sandbox) const;

  // Runs a program in it.
  carrier::CarrierCommand exec_in(const std::string& sandbox) const;

  const ModalAccount& account() const { return account_; }

 private:
  std::vector<std::string> variables() const;
  Task<ModalResult<json::object>> ask(std::vector<std::string> arguments, std::string input,
                                      std::chrono::milliseconds patience) const;

  std::string path_;
  ModalAccount account_;
};

// Beside our own program, where it is installed (../libexec/talaria), or in PATH. The error says
// how to get it.
Result<std::string> find_modal_program();

// What it said on standard error when it failed; `verb` is the one it was called with.
ModalFailure modal_failure(const ProgramAnswer& answer, std::string_view verb);

}  // namespace talaria::environment::modal
