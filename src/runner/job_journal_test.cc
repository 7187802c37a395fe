#include "runner/job_journal.h"

#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

#include "base/hash.h"
#include "runner/limits.h"
#include "testing/temporary_directory.h"

namespace talaria::runner {
namespace {

class JobJournalTest : public testing::Test {
 protected:
  static Job job(const std::string& process) {
    return {.entry = {.process = process,
                      .command = "sleep 1",
                      .pid = 42,
                      .running = true,
                      .notify = true,
                      .owner = "somebody",
                      .watch = {"a", "b"}},
            .start_time = 7,
            .boot_id = "boot",
            .duration_us = 9};
  }

  const test::TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.path();
};

TEST_F(JobJournalTest, WhatIsWrittenIsReadWithAllItSays) {
  const JobJournal journal(directory_);
  ASSERT_TRUE(journal.write(job("p1")));
  EXPECT_EQ(journal.load(), (std::vector{job("p1")}));
  struct stat file{};
  ASSERT_EQ(::stat((directory_ + "/p1").c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777u, 0600u);
}

// A file of a version that knew less: what it does not say is as if it had not been asked for.
TEST_F(JobJournalTest, AFileWithoutTheLaterFieldsHasTheirDefaults) {
  std::string entry;
  protozero::pbf_writer(entry).add_string(1, "p1");
  std::string list;
  protozero::pbf_writer(list).add_bytes(1, entry);
  std::string file;
  protozero::pbf_writer(file).add_bytes(1, list);
  protozero::pbf_writer(file).add_bool(15, true);
  EXPECT_EQ(decode_job(file), (Job{.entry = {.process = "p1"}}));
}

// And one of a version that knows more.
TEST_F(JobJournalTest, WhatALaterVersionAddedIsPassedOver) {
  std::string entry;
  protozero::pbf_writer(entry).add_string(1, "p1");
  std::string list;
  protozero::pbf_writer(list).add_bytes(1, entry);
  std::string file;
  protozero::pbf_writer(file).add_uint64(900, 7);
  protozero::pbf_writer(file).add_bytes(1, list);
  protozero::pbf_writer(file).add_string(13, "news");
  protozero::pbf_writer(file).add_fixed64(14, hash_text(file));
  protozero::pbf_writer(file).add_bool(15, true);
  EXPECT_EQ(decode_job(file), (Job{.entry = {.process = "p1"}}));
}

TEST_F(JobJournalTest, WhatIsRemovedIsGone) {
  const JobJournal journal(directory_);
  ASSERT_TRUE(journal.write(job("p1")));
  journal.remove("p1");
  journal.remove("p1");
  EXPECT_TRUE(journal.load().empty());
}

TEST_F(JobJournalTest, WhatIsNoJobIsNotLoadedAndNoError) {
  const JobJournal journal(directory_);
  ASSERT_TRUE(journal.write(job("p1")));
  const std::ofstream empty(directory_ + "/empty");
  std::ofstream(directory_ + "/noise") << "\xff\xff\xff\xff\xff what is this";
  std::ofstream(directory_ + "/other-name") << encode_job(job("p2"));
  std::ofstream(directory_ + "/p3.new") << encode_job(job("p3"));
  std::filesystem::create_directory(directory_ + "/folder");
  std::filesystem::create_symlink("/etc/passwd", directory_ + "/link");
  EXPECT_EQ(journal.load(), (std::vector{job("p1")}));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 2);
  EXPECT_TRUE(std::filesystem::exists(directory_ + "/ended/noise.damaged"));
  EXPECT_TRUE(std::filesystem::exists("/etc/passwd"));
}

// No descriptor was free, say: the next runner may have more luck. Root can read
// anything, so here it is for a moment somebody who cannot.
TEST_F(JobJournalTest, WhatCannotBeOpenedIsKept) {
  const JobJournal journal(directory_);
  ASSERT_TRUE(journal.write(job("p1")));
  ASSERT_TRUE(journal.write(job("p2")));
  ASSERT_EQ(::chmod((directory_ + "/p1").c_str(), 0), 0);
  ASSERT_EQ(::chmod((directory_ + "/p2").c_str(), 0644), 0);
  ASSERT_EQ(::chmod(directory_.c_str(), 0777), 0);
  constexpr uid_t kNobody = 65534;
  const uid_t self = ::geteuid();
  if (self == 0) ::setfsuid(kNobody);
  const std::vector<Job> loaded = journal.load();
  if (self == 0) ::setfsuid(self);
  EXPECT_EQ(loaded, (std::vector{job("p2")}));
  ASSERT_EQ(::chmod((directory_ + "/p1").c_str(), 0600), 0);
  EXPECT_EQ(journal.load().size(), 2u);
}

TEST_F(JobJournalTest, AFileCutAnywhereIsNotTakenForAJob) {
  const std::string whole = encode_job(job("p1"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_job(whole.substr(0, size))) << size;
  }
  EXPECT_TRUE(decode_job(whole));
}

TEST_F(JobJournalTest, WhatWasWrittenLastCounts) {
  const JobJournal journal(directory_);
  Job ended = job("p1");
  ended.entry.running = false;
  ended.entry.code = 3;
  ended.entry.watch.clear();
  ASSERT_TRUE(journal.write(job("p1")));
  ASSERT_TRUE(journal.write(ended));
  EXPECT_EQ(journal.load(), (std::vector{ended}));
  ended.acknowledged = true;
  ASSERT_TRUE(journal.write(ended));
  EXPECT_EQ(journal.load(), (std::vector{ended}));
}

TEST_F(JobJournalTest, AnEndThatIsCutAnywhereLeavesWhatWasWrittenBefore) {
  const std::string first = encode_job(job("p1"));
  Job ended = job("p1");
  ended.entry.running = false;
  const std::string both = first + encode_job(ended);
  for (std::size_t size = first.size(); size < both.size(); ++size) {
    const auto read = decode_job(both.substr(0, size));
    ASSERT_TRUE(read) << size;
    Job expected = job("p1");
    expected.damaged = size > first.size();
    EXPECT_EQ(*read, expected) << size;
  }
  EXPECT_EQ(decode_job(both), ended);
}

// A bit may be another one anywhere: nothing else than what was written is ever read.
TEST_F(JobJournalTest, ABitThatChangedIsNoticed) {
  Job ended = job("p1");
  ended.entry.running = false;
  ended.entry.code = 3;
  const std::string whole = encode_job(job("p1")) + encode_job(ended);
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    auto read = decode_job(flipped);
    if (!read) continue;
    if (std::exchange(read->damaged, false)) {
      EXPECT_TRUE(*read == job("p1") || *read == ended) << bit;
    } else {
      EXPECT_EQ(*read, ended) << bit;
    }
  }
}

TEST_F(JobJournalTest, AnArchivedOneIsFoundByItsIdAlone) {
  const JobJournal journal(directory_);
  ASSERT_TRUE(journal.write(job("p1")));
  journal.archive("p1");
  EXPECT_TRUE(journal.load().empty());
  EXPECT_EQ(journal.find_archived("p1"), job("p1"));
  EXPECT_TRUE(journal.has("p1"));
  EXPECT_FALSE(journal.find_archived("p2"));
  EXPECT_FALSE(journal.find_archived("../p1"));
  journal.remove("p1");
  EXPECT_FALSE(journal.has("p1"));
}

TEST_F(JobJournalTest, OfADamagedOneTheIdIsKnown) {
  const JobJournal journal(directory_);
  std::ofstream(directory_ + "/p1") << "noise";
  EXPECT_TRUE(journal.load().empty());
  const auto found = journal.find_archived("p1");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->damaged);
  EXPECT_EQ(found->entry.process, "p1");
  EXPECT_EQ(found->entry.ended, link::Ended::lost);
}

TEST_F(JobJournalTest, TheArchiveIsBoundedByAge) {
  const JobJournal journal(directory_);
  for (const char* process : {"old", "new"}) {
    ASSERT_TRUE(journal.write(job(process)));
    journal.archive(process);
  }
  const auto then = std::filesystem::file_time_type::clock::now() - std::chrono::hours(31 * 24);
  std::filesystem::last_write_time(directory_ + "/ended/old", then);
  journal.trim_archive();
  EXPECT_FALSE(journal.has("old"));
  EXPECT_TRUE(journal.has("new"));
}

TEST_F(JobJournalTest, TheArchiveIsBoundedByNumberAndTheOldestGo) {
  const JobJournal journal(directory_);
  ASSERT_TRUE(journal.write(job("first")));
  journal.archive("first");
  const std::string first = directory_ + "/ended/first";
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(first, now - std::chrono::hours(2));
  for (std::size_t i = 1; i <= kMaxArchived; ++i) {
    std::filesystem::create_hard_link(first, directory_ + "/ended/p" + std::to_string(i));
  }
  // A link has the time of its file, so the oldest and the next one get files of their own.
  for (const char* name : {"first", "p7"}) {
    const std::string path = directory_ + "/ended/" + name;
    std::filesystem::copy(first, path + ".new");
    std::filesystem::rename(path + ".new", path);
    const auto age = name == std::string("first") ? std::chrono::hours(4) : std::chrono::hours(3);
    std::filesystem::last_write_time(path, now - age);
  }
  journal.trim_archive();
  EXPECT_FALSE(journal.has("first")) << "one more than may stay";
  EXPECT_TRUE(journal.has("p7"));
  const std::filesystem::directory_iterator entries(directory_ + "/ended");
  EXPECT_EQ(std::distance(begin(entries), end(entries)), static_cast<std::ptrdiff_t>(kMaxArchived));
  journal.trim_archive();
  EXPECT_TRUE(journal.has("p7")) << "as many as may stay";
}

TEST_F(JobJournalTest, WithoutADirectoryThereAreNone) {
  EXPECT_TRUE(JobJournal(directory_ + "/none").load().empty());
  EXPECT_FALSE(JobJournal(directory_ + "/none").write(job("p1")));
}

}  // namespace
}  // namespace talaria::runner
