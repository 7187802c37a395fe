#include "runner/job_journal.h"

#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

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
  std::string file;
  protozero::pbf_writer(file).add_string(14, "news");
  protozero::pbf_writer(file).add_uint64(900, 7);
  EXPECT_EQ(decode_job(file + encode_job(job("p1"))), job("p1"));
}

TEST_F(JobJournalTest, WhatIsRemovedIsGone) {
  const JobJournal journal(directory_);
  ASSERT_TRUE(journal.write(job("p1")));
  journal.remove("p1");
  journal.remove("p1");
  EXPECT_TRUE(journal.load().empty());
}

TEST_F(JobJournalTest, WhatIsNoJobIsRemovedAndNoError) {
  const JobJournal journal(directory_);
  ASSERT_TRUE(journal.write(job("p1")));
  std::ofstream(directory_ + "/empty");
  std::ofstream(directory_ + "/noise") << "\xff\xff\xff\xff\xff what is this";
  std::ofstream(directory_ + "/other-name") << encode_job(job("p2"));
  std::ofstream(directory_ + "/p3.new") << encode_job(job("p3"));
  std::filesystem::create_directory(directory_ + "/folder");
  std::filesystem::create_symlink("/etc/passwd", directory_ + "/link");
  EXPECT_EQ(journal.load(), (std::vector{job("p1")}));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1);
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
    EXPECT_EQ(*read, job("p1")) << size;
  }
  EXPECT_EQ(decode_job(both), ended);
}

TEST_F(JobJournalTest, WithoutADirectoryThereAreNone) {
  EXPECT_TRUE(JobJournal(directory_ + "/none").load().empty());
  EXPECT_FALSE(JobJournal(directory_ + "/none").write(job("p1")));
}

}  // namespace
}  // namespace talaria::runner
