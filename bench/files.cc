// Large files and large trees, through a runner on this machine: a page of a file of 1 GB, and a
// search of 100,000 files with either engine.
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "bench/home.h"
#include "bench/program.h"
#include "bench/rows.h"
#include "environment/local/local_environment.h"
#include "os/find_program.h"

namespace talaria::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 9;
constexpr double kPageBar = 20;  // ms
constexpr double kSearchBar = 1.3;
constexpr int kLargeSize = 1'000'000'000;
constexpr int kPageAt = 5'000'000;
constexpr int kFiles = 100'000;
constexpr int kNeedleEvery = 1000;

// A local environment with a runner of its own.
class Place {
 public:
  explicit Place(const std::string& directory) {
    auto made = environment::local::make_local_environment(
        loop_.get_executor(),
        {.home = directory + "/files-home", .lifetime = std::chrono::seconds(5)});
    if (!made) throw std::runtime_error(made.error().message());
    environment_ = std::move(*made);
  }

  link::ReadLinesReport page(const std::string& path, int line) {
    return wait(environment_->files().read_lines(
        {.path = path, .first_line = static_cast<std::uint64_t>(line), .max_lines = 500},
        CancelToken{}));
  }
  link::SearchReport search(link::SearchFiles query) {
    return wait(environment_->files().search(std::move(query), CancelToken{}));
  }

 private:
  template <class T>
  T wait(Task<Result<T>> task) {
    std::optional<Result<T>> result;
    asio::co_spawn(loop_, std::move(task), [&](const std::exception_ptr& error, Result<T> answer) {
      if (error) std::rethrow_exception(error);
      result = std::move(answer);
    });
    loop_.restart();
    while (!result) loop_.run_one();
    if (!*result) throw std::runtime_error(result->error().message());
    return std::move(**result);
  }

  asio::io_context loop_{1};
  std::unique_ptr<environment::Environment> environment_;
};

void write_large_file(const std::string& path, int size) {
  std::ofstream file(path);
  std::string piece;
  for (int i = 0; i < 1000; ++i)
    piece += "line of some eighty to ninety bytes, as there are many in logs of programs: " +
             std::to_string(i) + "\n";
  while (file.tellp() < size) file << piece;
  if (!file.flush()) throw std::runtime_error("no room for a file of 1 GB");
}

// 100,000 files of a few KB in 2,000 directories; one in a thousand has what is looked for.
void write_tree(const std::string& root, int files) {
  fs::create_directories(root + "/.git");
  std::ofstream(root + "/.gitignore") << "*.o\nbuild/\n*.log\n/out\n!keep.log\n";
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += "    some_call(argument_" + std::to_string(i * 7919) + ", other);\n";
  for (int i = 0; i < files; ++i) {
    const std::string directory =
        root + "/d" + std::to_string(i / 2500) + "/e" + std::to_string(i / 50 % 50);
    if (i % 50 == 0) fs::create_directories(directory);
    std::ofstream file(directory + "/f" + std::to_string(i) + ".c");
    file << std::string_view(text).substr(static_cast<std::size_t>(i % 700));
    if (i % kNeedleEvery == 0) file << "the needle_" << i << " is here\n";
  }
}

Row page_row(const Options& options, Place& place, const std::string& path) {
  const int line = options.count(kPageAt);
  const double first = milliseconds_of([&] { place.page(path, line); });
  std::vector<double> times;
  for (int i = 0; i < 20; ++i) times.push_back(milliseconds_of([&] { place.page(path, line); }));
  Row row{.work = "500 lines at line 5,000,000 of 1 GB, not for the first time",
          .unit = "ms",
          .ours = spread_of(std::move(times))};
  row.judgements = {{.what = "p50", .value = row.ours->p50, .bar = kPageBar, .unit = " ms"}};
  row.notes = {"the first time: " + fixed(first, 0) + " ms"};
  return row;
}

Row search_row(const Options& options, Place& place, const std::string& root,
               link::SearchEngine engine) {
  const auto program = os::find_program("rg");
  if (!program) throw std::runtime_error("there is no ripgrep");
  const Program rg({*program, "--no-config", "-n", "-e", "needle_[0-9]+", root},
                   plain_environment());
  const link::SearchFiles query{
      .path = root, .pattern = "needle_[0-9]+", .limit = 50, .engine = engine};
  rg.run();
  if (place.search(query).total_lines !=
      static_cast<std::uint64_t>(options.count(kFiles)) / kNeedleEvery)
    throw std::runtime_error("the search found something else");
  std::vector<double> ours;
  std::vector<double> floor;
  for (int i = 0; i < options.count(kRounds); ++i) {
    ours.push_back(milliseconds_of([&] { place.search(query); }));
    floor.push_back(milliseconds_of([&] { rg.run(); }));
  }
  Row row{.work = std::string("100,000 files searched, by ") +
                  (engine == link::SearchEngine::ripgrep ? "ripgrep" : "the runner itself") +
                  " / rg",
          .unit = "ms",
          .ours = spread_of(std::move(ours)),
          .floor = spread_of(std::move(floor))};
  row.judgements = judge_latency(*row.ours, *row.floor, kSearchBar, std::nullopt);
  return row;
}

}  // namespace

std::vector<Row> measure_files(const Options& options) {
  const Home home(options.talaria_path);
  const std::string root = home.directory() + "/files";
  fs::create_directories(root);
  write_large_file(root + "/large", options.count(kLargeSize));
  write_tree(root + "/tree", options.count(kFiles));
  Place place(home.directory());
  std::vector<Row> rows{page_row(options, place, root + "/large")};
  for (const link::SearchEngine engine :
       {link::SearchEngine::ripgrep, link::SearchEngine::runner}) {
    rows.push_back(search_row(options, place, root + "/tree", engine));
  }
  fs::remove_all(root);
  return rows;
}

}  // namespace talaria::bench
