// Files written into a container over a link, against `docker cp`: a thousand small ones, and one
// of 100 MB.
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "bench/home.h"
#include "bench/program.h"
#include "bench/rows.h"
#include "bench/target.h"
#include "environment/docker/docker_environment.h"

namespace talaria::bench {
namespace {

constexpr int kSmallFiles = 1000;
constexpr int kCopiedFiles = 25;  // by `docker cp`, which takes a tenth of a second for each
constexpr int kRounds = 5;
constexpr int kLargeRounds = 15;   // some take twice as long: the disk is at work
constexpr double kSmallBar = 5;    // times as fast
constexpr double kLargeBar = 0.8;  // times as fast
constexpr std::size_t kLargeSize = 100'000'000;

// The docker target with its standard settings, for as long as this lives.
class Container {
 public:
  Container(const std::string& home, const std::string& image) {
    const environment::DockerConfig config{.image = image, .persist_across_processes = false};
    environment::EnvironmentSpec spec{.target = "docker",
                                      .task = "bench",
                                      .home = home,
                                      .sandbox_dir = home + "/sandboxes",
                                      .cwd = "/root",
                                      .container = {.cpu = 0, .memory_mb = 0, .disk_mb = 0},
                                      .lifetime = std::chrono::seconds(60)};
    environment_ = wait(environment::docker::make_docker_environment(config, std::move(spec)));
    id_ = environment_->place();
    id_.erase(0, id_.rfind(' ') + 1);  // "container NAME"
  }
  ~Container() {
    // Whatever it says: the engines of a measurement end with it.
    (void)wait<Result<void>>(environment_->close(true));
    environment_.reset();
  }
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  const std::string& id() const { return id_; }

  void write(std::vector<environment::FileToWrite> files) {
    for (const auto& written : wait(environment_->files().write(std::move(files), CancelToken{}))) {
      if (!written) throw std::runtime_error(written.error().message());
    }
  }

 private:
  template <class T>
  T wait(Task<T> task) {
    std::optional<T> result;
    asio::co_spawn(loop_, std::move(task), [&](const std::exception_ptr& error, T answer) {
      if (error) std::rethrow_exception(error);
      result = std::move(answer);
    });
    loop_.restart();
    while (!result) loop_.run_one();
    return std::move(*result);
  }
  std::unique_ptr<environment::Environment> wait(
      Task<Result<std::unique_ptr<environment::Environment>>> task) {
    auto made = wait<Result<std::unique_ptr<environment::Environment>>>(std::move(task));
    if (!made) throw std::runtime_error(made.error().message());
    return std::move(*made);
  }

  asio::io_context loop_{1};
  std::string id_;
  std::unique_ptr<environment::Environment> environment_;
};

environment::FileToWrite file_of(std::string path,
                                 const std::shared_ptr<const std::string>& bytes) {
  environment::FileToWrite file{.to = {std::move(path)}, .size = bytes->size(), .parents = 0755};
  file.next = [bytes, at = std::size_t{0}](std::size_t most) mutable -> Result<std::string> {
    std::string piece = bytes->substr(at, most);
    at += piece.size();
    return piece;
  };
  return file;
}

// How many times as fast as the floor.
Row judged(Row row, double bar) {
  row.judgements = {{.what = "times as fast",
                     .value = row.floor->p50 / row.ours->p50,
                     .bar = bar,
                     .at_most = false}};
  return row;
}

Row small_files(const Options& options, Container& container, const std::string& directory) {
  const auto content = std::make_shared<const std::string>(4000, 'x');
  const std::string local = directory + "/small";
  std::ofstream(local) << *content;
  const Program copy({"/bin/sh", "-c", "exec docker cp " + local + " " + container.id() + ":/s"},
                     plain_environment());
  std::vector<double> ours;
  std::vector<double> floor;
  for (int round = 0; round < options.count(kRounds); ++round) {
    std::vector<environment::FileToWrite> files;
    for (int i = 0; i < kSmallFiles; ++i) {
      files.push_back(file_of("/small/" + std::to_string(i), content));
    }
    ours.push_back(milliseconds_of([&] { container.write(std::move(files)); }));
    const double some = milliseconds_of([&] {
      for (int i = 0; i < kCopiedFiles; ++i) copy.run();
    });
    floor.push_back(some * kSmallFiles / kCopiedFiles);
  }
  return judged({.work = "1,000 files of 4 KB into a container / docker cp of each",
                 .unit = "ms",
                 .ours = spread_of(std::move(ours)),
                 .floor = spread_of(std::move(floor)),
                 .notes = {"docker cp: " + std::to_string(kCopiedFiles) +
                           " of them, by that the time of all"}},
                kSmallBar);
}

Row large_file(const Options& options, Container& container, const std::string& directory) {
  const auto content = std::make_shared<const std::string>(kLargeSize, 'x');
  const std::string local = directory + "/large";
  std::ofstream(local) << *content;
  const Program copy({"/bin/sh", "-c", "exec docker cp " + local + " " + container.id() + ":/l"},
                     plain_environment());
  std::vector<double> ours;
  std::vector<double> floor;
  for (int round = 0; round < options.count(kLargeRounds); ++round) {
    std::vector<environment::FileToWrite> one;
    one.push_back(file_of("/large", content));
    ours.push_back(milliseconds_of([&] { container.write(std::move(one)); }));
    floor.push_back(milliseconds_of([&] { copy.run(); }));
  }
  return judged({.work = "one file of 100 MB into a container / docker cp",
                 .unit = "ms",
                 .ours = spread_of(std::move(ours)),
                 .floor = spread_of(std::move(floor))},
                kLargeBar);
}

}  // namespace

std::vector<Row> measure_file_writes(const Options& options) {
  const Home home(options.talaria_path);
  const auto target = bench_target(home.directory(), "docker");
  if (!target) {
    return {{.work = "files written into a container", .notes = {"there is no docker here"}}};
  }
  Container container(home.directory(), target->image);
  return {small_files(options, container, home.directory()),
          large_file(options, container, home.directory())};
}

}  // namespace talaria::bench
