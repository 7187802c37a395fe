#include "runner/job_journal.h"

#include <filesystem>

#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_reader.hpp>

#include "os/directory.h"
#include "os/file.h"
#include "runner/limits.h"

namespace talaria {
namespace {

enum class Field : protozero::pbf_tag_type {
  list = 1,  // a ListReport with the one process
  start_time = 2,
  boot_id = 3,
  duration_us = 4,
  acknowledged = 5,
  whole = 15,  // the last one: without it the file was cut
};

}  // namespace

std::string encode_job(const Job& job) {
  std::string bytes;
  protozero::pbf_builder<Field> writer(bytes);
  writer.add_bytes(Field::list, encode(ListReport{.processes = {job.entry}}));
  writer.add_uint64(Field::start_time, job.start_time);
  writer.add_bytes(Field::boot_id, job.boot_id);
  writer.add_uint64(Field::duration_us, job.duration_us);
  writer.add_bool(Field::acknowledged, job.acknowledged);
  writer.add_bool(Field::whole, true);
  return bytes;
}

Result<Job> decode_job(std::string_view bytes) try {
  Job job;
  bool whole = false;
  protozero::pbf_reader message(bytes.data(), bytes.size());
  while (message.next()) {
    switch (static_cast<Field>(message.tag())) {
      case Field::list: {
        auto list = decode<ListReport>(message.get_string());
        if (!list) return fail(list.error());
        if (list->processes.size() == 1) job.entry = std::move(list->processes[0]);
        break;
      }
      case Field::start_time:
        job.start_time = message.get_uint64();
        break;
      case Field::boot_id:
        job.boot_id = message.get_string();
        break;
      case Field::duration_us:
        job.duration_us = message.get_uint64();
        break;
      case Field::acknowledged:
        job.acknowledged = message.get_bool();
        break;
      case Field::whole:
        whole = message.get_bool();
        break;
      default:
        message.skip();
    }
  }
  if (!whole || job.entry.process.empty()) return fail(ErrorKind::system, "the job file is cut");
  return job;
} catch (const protozero::exception& error) {
  // The library reports malformed input this way; to us it is data.
  return fail(ErrorKind::system, std::string("the job file is damaged: ") + error.what());
}

Result<void> JobJournal::write(const Job& job) const {
  return replace_file(path_of(job.entry.process), encode_job(job));
}

void JobJournal::remove(const std::string& process) const { remove_file(path_of(process)); }

std::vector<Job> JobJournal::load() const {
  std::vector<Job> jobs;
  for (const std::string& name : names_in(directory_)) {
    const auto file = open_regular_file(path_of(name));
    const auto bytes = file ? read_whole(file->get(), kLargestJob) : Result<std::string>();
    auto job = bytes ? decode_job(*bytes) : Result<Job>(fail(bytes.error()));
    if (job && job->entry.process == name) {
      jobs.push_back(std::move(*job));
      continue;
    }
    std::error_code ignored;
    std::filesystem::remove_all(path_of(name), ignored);
  }
  return jobs;
}

}  // namespace talaria
