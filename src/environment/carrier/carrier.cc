#include "environment/carrier/carrier.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/message.h"
#include "base/text.h"
#include "base/time_limit.h"
#include "link/preamble.h"
#include "os/random.h"

namespace talaria::environment::carrier {
namespace {

constexpr std::size_t kShownOutput = 2000;
constexpr std::size_t kNonceBytes = 12;
constexpr std::string_view kMark = "TALARIA-";  // of every line of our scripts

}  // namespace

struct Carrier::Answer {
  std::optional<link::ByteStream> stream;
  std::string machine;  // what to deliver a runner for
};

Task<Result<link::ByteStream>> Carrier::connect() {
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (options_.batches && runner_there_) co_return begin_batch();
    auto answer = co_await ask_for_link();
    if (!answer) co_return fail(answer.error());
    runner_there_ = answer->stream.has_value();
    if (runner_there_ && options_.batches) co_return begin_batch();
    if (runner_there_) co_return std::move(*answer->stream);
    const Result<void> delivered = co_await deliver(answer->machine);
    if (!delivered) co_return fail(delivered.error());
  }
  co_return fail(ErrorKind::unavailable, "the runner was delivered but is not found at the target");
}

BootstrapRequest Carrier::new_request() const {
  BootstrapRequest request{.places = options_.places,
                           .nonce = os::random_hex(kNonceBytes),
                           .mode = options_.batches ? "batch" : "connect",
                           .lifetime = options_.lifetime};
  for (const RunnerImage& image : runner_images()) request.digests.emplace_back(image.digest);
  return request;
}

// Becomes a stream if a runner exists at the target, else reports which one is needed. If the
// carrier can only carry batches, an empty batch asks the same.
Task<Result<Carrier::Answer>> Carrier::ask_for_link() {
  const BootstrapRequest request = new_request();
  auto run = start(connect_script(request));
  if (!run) co_return fail(run.error());
  boost::system::error_code ignored;
  if (options_.batches) (*run)->input.close(ignored);
  std::string said;
  const std::string ready = link::preamble_line(request.nonce);
  const std::string need = "TALARIA-NEED " + request.nonce + " ";
  bool sent = false;
  for (;;) {
    if (auto refused = refusal(said, request.nonce)) co_return fail(std::move(*refused));
    if (const auto at = said.find(ready); at != std::string::npos) {
      co_return Answer{.stream = stream_of(*run, said.substr(at + ready.size()))};
    }
    if (const auto at = said.find(need); at != std::string::npos) {
      const auto end = said.find('\n', at);
      std::string_view words = std::string_view(said).substr(0, end).substr(at + need.size());
      if (end != std::string::npos && !sent) {
        const std::string machine(next_word(words));
        if (words != "here") co_return Answer{.machine = machine};
        sent = true;
        const auto delivered = co_await deliver_here(**run, machine);
        if (!delivered) co_return fail(delivered.error());
      }
    }
    const auto more = co_await read_some(**run, said);
    if (!more) co_return fail(more.error());
  }
}

Result<link::ByteStream> Carrier::begin_batch() {
  const BootstrapRequest request = new_request();
  auto run = start(connect_script(request));
  if (!run) return fail(run.error());
  link::ByteStream stream = stream_of(*run, {});
  stream.preamble.emplace(request.nonce);
  return stream;
}

Task<Result<void>> Carrier::deliver(const std::string& machine) {
  const auto image = image_for(machine);
  if (!image) co_return fail(image.error());
  const std::string nonce = os::random_hex(kNonceBytes);
  auto run = start(install_script(options_.places, image->digest, image->bytes.size(), nonce));
  if (!run) co_return fail(run.error());
  const auto sent = co_await upload(**run, image->bytes);
  if (!sent) co_return fail(sent.error());
  boost::system::error_code ignored;
  (*run)->input.close(ignored);
  std::string said;
  while (!said.contains("TALARIA-HAVE " + nonce)) {
    if (auto refused = refusal(said, nonce)) co_return fail(std::move(*refused));
    const auto more = co_await read_some(**run, said);
    if (!more) co_return fail(more.error());
  }
  co_return Result<void>();
}

// To a script that waits for it and becomes it.
Task<Result<void>> Carrier::deliver_here(CarrierRun& run, const std::string& machine) {
  const auto image = image_for(machine);
  if (!image) co_return fail(image.error());
  const std::string head = std::string(image->digest.substr(0, kRunnerFileDigits)) + " " +
                           std::to_string(image->bytes.size()) + "\n";
  const auto begun = co_await upload(run, head);
  if (!begun) co_return fail(begun.error());
  co_return co_await upload(run, image->bytes);
}

Result<RunnerImage> Carrier::image_for(const std::string& machine) {
  auto image = runner_image(machine);
  if (!image) no_runner_ = image.error().message();
  return image;
}

std::optional<Error> Carrier::refusal(const std::string& said, const std::string& nonce) {
  const std::string mark = "TALARIA-FAIL " + nonce + " ";
  const auto at = said.find(mark);
  if (at == std::string::npos || said.find('\n', at) == std::string::npos) return std::nullopt;
  if (said.contains("echo \"" + mark)) {  // our own script, as it was given
    return Error(ErrorKind::unavailable,
                 explain({.message = "it printed its arguments instead of running them"}));
  }
  const std::string why(trim(std::string_view(said).substr(at + mark.size())));
  if (why == kNowhereExecutable) no_runner_ = why;
  return Error(ErrorKind::unavailable, "the runner cannot be put at the target: " + why);
}

// The time limit is for the next bytes, not for all of it: a slow
// connection may take long.
Task<Result<void>> Carrier::upload(CarrierRun& run, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto buffer = asio::buffer(bytes.data(), bytes.size());
    const auto written =
        co_await within(options_.patience, run.input.async_write_some(buffer, as_values));
    if (!written) {
      co_return failed(
          run, {.message = "it took no more of the runner in " + in_seconds(options_.patience) +
                           " s, " + std::to_string(bytes.size()) + " bytes are left",
                .silent = true});
    }
    const auto [error, size] = *written;
    if (error) break;  // the reason is in the complaint of the run
    bytes.remove_prefix(size);
  }
  co_return Result<void>();
}

// Appends what comes next.
Task<Result<void>> Carrier::read_some(CarrierRun& run, std::string& said) {
  std::array<char, 16384> chunk;
  const auto read = co_await within(options_.patience,
                                    run.output.async_read_some(asio::buffer(chunk), as_values));
  if (!read) {
    co_return failed(
        run, {.message = "no answer in " + in_seconds(options_.patience) + " s", .silent = true});
  }
  const auto [error, size] = *read;
  said.append(chunk.data(), size);
  if (!error && said.size() <= link::kMaxPreamble) co_return Result<void>();
  CarrierFailure failure{.message = std::string(trim(said.substr(0, kShownOutput)))};
  if (error && run.exit_code && !said.contains(kMark)) failure.exit_code = co_await run.exit_code();
  co_return failed(run, std::move(failure));
}

// Adds the carrier's own error output, if there is any.
std::unexpected<Error> Carrier::failed(const CarrierRun& run, CarrierFailure failure) const {
  const std::string complaint = run.complaint();
  if (!failure.message.empty() && !complaint.empty()) {
    failure.message = as_sentence(failure.message) + " It says: ";
  }
  failure.message += complaint;
  return fail(ErrorKind::unavailable, explain(failure));
}

std::string Carrier::explain(const CarrierFailure& failure) const {
  const CarrierFailure shown = in_words(failure);
  if (options_.explain) return options_.explain(shown);
  return "`" + options_.command + "` failed to start a runner at the target: " + shown.message;
}

link::ByteStream Carrier::stream_of(const std::shared_ptr<CarrierRun>& run, std::string early) {
  link::ByteStream stream{.reader = std::move(run->output),
                          .writer = std::move(run->input),
                          .keep = run,
                          .early = std::move(early)};
  const std::string name = options_.name.empty() ? "`" + options_.command + "`" : options_.name;
  stream.about = [run, name] {
    const std::string complaint = run->complaint();
    return name + (complaint.empty() ? "" : " says: " + complaint);
  };
  return stream;
}

Task<Result<std::string>> Carrier::run(std::string script) {
  auto said = co_await run_carrier(starter(), std::move(script), options_.patience);
  if (said) co_return std::move(*said);
  co_return fail(ErrorKind::unavailable, explain(said.error()));
}

StartCarrier Carrier::starter() const {
  if (options_.start) return options_.start;
  return carrier_by(executor_,
                    {.command = options_.command, .joins_arguments = options_.joins_arguments});
}

Result<std::shared_ptr<CarrierRun>> Carrier::start(const std::string& script) const {
  return starter()(script);
}

}  // namespace talaria::environment::carrier
