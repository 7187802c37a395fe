#include "host/sync/file_sync.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/sync/received_file.h"
#include "testing/fake_files.h"
#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::host {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class FileSyncTest : public testing::Test {
 protected:
  FileSyncTest() {
    home_.write("skills/a/SKILL.md", "skill a");
    home_.write("skills/a/run.sh", "run");
    home_.write("token", "secret");
    ::chmod(home_.path("skills/a/run.sh").c_str(), 0755);
  }

  void configure(milliseconds pause, bool always = false) {
    sync_ = std::make_unique<FileSync>(
        FileSyncOptions{
            .home = home_.path(), .always = always, .pause = pause, .retry = milliseconds(1)},
        [this] { return shared_.files(); });
  }
  std::vector<std::string> push() { return test::run_to_end(sync_->push(files_, CancelToken{})); }
  std::vector<std::string> pull() {
    SyncedBack back = test::run_to_end(sync_->pull(files_, cancel_));
    complete_ = back.complete;
    return back.notices;
  }
  // Copies that were kept, by their content.
  std::vector<std::string> kept() {
    std::vector<std::string> found;
    std::error_code none;
    for (const auto& one : fs::directory_iterator(kept_directory(home_.path()), none)) {
      found.push_back(home_.read("talaria/sync/kept/" + one.path().filename().string()));
    }
    return found;
  }
  void begin_next_program() { configure(milliseconds(0)); }
  void lose_record() { fs::remove_all(home_.path("talaria/sync/record")); }
  std::vector<std::string> written() { return std::exchange(files_.written, {}); }
  std::string there(const std::string& path) {
    const auto found = files_.files.find("~/.hermes/" + path);
    return found == files_.files.end() ? "(none)" : found->second.content;
  }

  test::TemporaryDirectory home_;
  SharedFiles shared_{{.home = home_.path(), .credential_files = {"token"}}};
  test::FakeFiles files_;
  CancelToken cancel_;
  bool complete_ = false;
  std::unique_ptr<FileSync> sync_ = std::make_unique<FileSync>(
      FileSyncOptions{.home = home_.path(), .pause = milliseconds(0), .retry = milliseconds(1)},
      [this] { return shared_.files(); });
};

TEST_F(FileSyncTest, CopiesWhatIsNewOrChangedAndRemovesWhatIsGone) {
  EXPECT_THAT(push(), IsEmpty());
  EXPECT_THAT(written(), ElementsAre("skills/a/SKILL.md", "skills/a/run.sh", "token"));
  EXPECT_EQ(there("skills/a/SKILL.md"), "skill a");
  EXPECT_EQ(files_.files.at("~/.hermes/token").facts.mode, 0600u);
  EXPECT_EQ(files_.files.at("~/.hermes/skills/a/run.sh").facts.mode, 0755u);

  push();
  EXPECT_THAT(written(), IsEmpty());

  home_.write("skills/a/SKILL.md", "skill a, changed");
  fs::remove(home_.path("skills/a/run.sh"));
  push();
  EXPECT_THAT(written(), ElementsAre("skills/a/SKILL.md"));
  EXPECT_EQ(there("skills/a/run.sh"), "(none)");
}

TEST_F(FileSyncTest, OnlySoOften) {
  configure(std::chrono::hours(1));
  push();
  written();
  home_.write("skills/a/new", "n");
  push();
  EXPECT_THAT(written(), IsEmpty());
  configure(std::chrono::hours(1), true);  // HERMES_FORCE_FILE_SYNC
  push();
  home_.write("skills/a/newer", "n");
  push();
  EXPECT_EQ(there("skills/a/newer"), "n");
}

TEST_F(FileSyncTest, ARoundThatFailsIsDoneAgainAsAWhole) {
  files_.refused = {"skills/a/run.sh"};
  EXPECT_THAT(push(), ElementsAre(HasSubstr("No space left on device")));
  EXPECT_THAT(sync_->pushed(), IsEmpty());
  EXPECT_THAT(push(), IsEmpty()) << "said once";
  EXPECT_THAT(sync_->pushed(), IsEmpty());
  files_.refused.clear();
  files_.files.clear();
  written();
  EXPECT_THAT(push(), IsEmpty());
  EXPECT_THAT(written(), ElementsAre("skills/a/SKILL.md", "skills/a/run.sh", "token"));

  // The same when only a removal fails.
  fs::remove(home_.path("skills/a/run.sh"));
  home_.write("skills/a/b", "b");
  files_.on_call = [this]() -> Result<void> {
    if (files_.written.empty()) return {};
    return fail(ErrorKind::unavailable, "the link broke");
  };
  written();
  EXPECT_THAT(push(), ElementsAre(HasSubstr("the link broke")));
  EXPECT_TRUE(sync_->pushed().contains("skills/a/run.sh"));
  EXPECT_FALSE(sync_->pushed().contains("skills/a/b"));
  files_.on_call = [] { return Result<void>(); };
  written();
  EXPECT_THAT(push(), IsEmpty());
  EXPECT_THAT(written(), IsEmpty()) << "it is there already";
  EXPECT_EQ(there("skills/a/b"), "b");
  EXPECT_EQ(there("skills/a/run.sh"), "(none)");
}

TEST_F(FileSyncTest, AFileThatVanishesIsSkipped) {
  files_.on_write = [this] { fs::remove(home_.path("skills/a/run.sh")); };
  EXPECT_THAT(push(), IsEmpty());
  EXPECT_THAT(written(), ElementsAre("skills/a/SKILL.md", "token"));
}

TEST_F(FileSyncTest, NothingSharedCostsNothing) {
  test::TemporaryDirectory empty;
  SharedFiles none({.home = empty.path()});
  files_.on_call = []() -> Result<void> { return fail(ErrorKind::system, "was asked"); };
  FileSync sync({.home = empty.path()}, [&] { return none.files(); });
  EXPECT_THAT(test::run_to_end(sync.push(files_, CancelToken{})), IsEmpty());
  EXPECT_THAT(test::run_to_end(sync.pull(files_, CancelToken{})).notices, IsEmpty());
  EXPECT_FALSE(fs::exists(empty.path(".sync.lock")));
}

TEST_F(FileSyncTest, WhatAnEarlierProgramCopiedIsNotCopiedAgain) {
  push();
  configure(milliseconds(0));
  written();
  home_.write("skills/a/run.sh", "changed");
  push();
  EXPECT_THAT(written(), ElementsAre("skills/a/run.sh"));
  // and is known well enough to be brought back.
  files_.put("~/.hermes/skills/a/SKILL.md", "changed there", 77'000'000'000);
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(home_.read("skills/a/SKILL.md"), "changed there");
}

TEST_F(FileSyncTest, TwoCommandsAtOnceAreOneRound) {
  int rounds = 0;
  FileSync sync({.home = home_.path(), .always = true}, [&] {
    ++rounds;
    return shared_.files();
  });
  asio::io_context loop(1);
  std::vector<std::size_t> there_at_end;
  for (int i = 0; i < 2; ++i) {
    asio::co_spawn(loop, sync.push(files_, CancelToken{}),
                   [&](std::exception_ptr, const std::vector<std::string>&) {
                     there_at_end.push_back(files_.files.size());
                   });
  }
  loop.run();
  EXPECT_EQ(rounds, 1);
  EXPECT_THAT(there_at_end, ElementsAre(3u, 3u));  // the second has waited
}

TEST_F(FileSyncTest, TheTargetsChangesComeBackAndConflictsAreTold) {
  home_.write("skills/top.md", "top");
  push();
  const auto before = fs::last_write_time(home_.path("skills/a/run.sh"));
  files_.put("~/.hermes/skills/a/SKILL.md", "better", 1'234'000'000'000);
  files_.put("~/.hermes/skills/b/new/SKILL.md", "made there", 5'000'000'000);
  files_.put("~/.hermes/skillsXtra/evil.md", "not ours");
  files_.put("~/.hermes/config.yaml", "not ours");
  files_.put("~/.hermes/token", "renewed", 6'000'000'000);
  home_.write("token", "changed here, too");
  files_.files.erase("~/.hermes/skills/top.md");
  EXPECT_THAT(pull(), ElementsAre(HasSubstr("Conflict: " + home_.path("token"))));
  EXPECT_TRUE(complete_);
  EXPECT_EQ(home_.read("skills/a/SKILL.md"), "better");
  struct stat info{};
  ASSERT_EQ(::stat(home_.path("skills/a/SKILL.md").c_str(), &info), 0);
  EXPECT_EQ(info.st_mtim.tv_sec, 1234);
  EXPECT_EQ(home_.read("skills/b/new/SKILL.md"), "made there");
  EXPECT_EQ(home_.read("token"), "renewed");
  EXPECT_EQ(home_.read("skills/top.md"), "top");  // gone there, kept here
  EXPECT_EQ(fs::last_write_time(home_.path("skills/a/run.sh")), before);
  EXPECT_FALSE(fs::exists(home_.path("skillsXtra")));
  EXPECT_FALSE(fs::exists(home_.path("config.yaml")));
}

TEST_F(FileSyncTest, ANewFileComesBackOnlyFromADirectoryFilesWereCopiedTo) {
  push();  // to skills/a, and beside that to nothing
  files_.put("~/.hermes/skills/a/deep/x", "x");
  files_.put("~/.hermes/skills/theirs/SKILL.md", "the target's own");
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(home_.read("skills/a/deep/x"), "x");
  EXPECT_FALSE(fs::exists(home_.path("skills/theirs")));
}

TEST_F(FileSyncTest, NothingAHostileTargetSaysLeadsOutOfWhatIsShared) {
  test::TemporaryDirectory outside;
  home_.write("skills/top.md", "top");
  push();
  fs::create_directory_symlink(outside.path(), home_.path("skills/out"));
  fs::create_symlink(outside.path("new"), home_.path("skills/link"));
  for (const char* path :
       {"../escaped", "a/../../../escaped", "/escaped", "a//b", "./x", "", "out/escaped", "link"}) {
    files_.also_listed.push_back({path, {.size = 3, .mode = 04777}, ""});
    files_.put("~/.hermes/skills/" + std::string(path), "bad");
  }
  files_.also_listed.push_back({"device", {.kind = os::FileKind::other}, ""});
  files_.also_listed.push_back({"folder", {.kind = os::FileKind::directory}, ""});
  files_.also_listed.push_back({"a-link", {.kind = os::FileKind::link}, ""});
  const auto notices = pull();
  EXPECT_THAT(notices, testing::Contains(HasSubstr("'out' is not a plain directory")));
  EXPECT_TRUE(fs::is_empty(outside.path()));
  EXPECT_FALSE(fs::exists(home_.path("escaped")));
  EXPECT_FALSE(fs::exists(fs::path(home_.path()).parent_path() / "escaped"));
  EXPECT_FALSE(fs::exists(home_.path("skills/device")));
  EXPECT_FALSE(fs::exists(home_.path("skills/folder")));
  EXPECT_FALSE(fs::exists(home_.path("skills/a-link")));
  EXPECT_FALSE(fs::exists("/escaped"));
  for (const auto& entry : fs::recursive_directory_iterator(home_.path("skills"))) {
    EXPECT_EQ(entry.path().filename().string().find(".talaria-"), std::string::npos);
  }
}

TEST_F(FileSyncTest, MoreThanTwoGiBStopItBeforeAnythingIsRead) {
  push();
  files_.put("~/.hermes/skills/a/SKILL.md", "changed");
  files_.also_listed.push_back({"a/huge", {.size = (2ull << 30) + 1}, ""});
  EXPECT_THAT(pull(), ElementsAre(HasSubstr("over 2048 MiB")));
  EXPECT_FALSE(complete_);
  EXPECT_EQ(home_.read("skills/a/SKILL.md"), "skill a");
}

TEST_F(FileSyncTest, ATargetThatSendsMoreThanItSaidIsNotBelieved) {
  push();
  files_.put("~/.hermes/skills/a/SKILL.md", std::string(1000, 'x'));
  files_.files["~/.hermes/skills/a/SKILL.md"].facts.size = 10;
  EXPECT_THAT(pull(), ElementsAre(HasSubstr("it has changed meanwhile")));
  EXPECT_EQ(home_.read("skills/a/SKILL.md"), "skill a");
}

// A program that was interrupted while it brought files back left a part of one in the skills, and
// the next one replaced the file of the target by the old one of ours.
TEST_F(FileSyncTest, WhatIsNewerAtTheTargetIsNotReplaced) {
  push();
  const std::int64_t later = std::int64_t{4'000'000'000} * 1'000'000'000;
  files_.put("~/.hermes/skills/a/SKILL.md", "much better", later);
  configure(milliseconds(0));  // the next program
  written();
  EXPECT_THAT(push(), IsEmpty());
  EXPECT_THAT(written(), IsEmpty());
  EXPECT_EQ(there("skills/a/SKILL.md"), "much better");
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(home_.read("skills/a/SKILL.md"), "much better");
}

TEST_F(FileSyncTest, WhatBothSidesChangedStaysAtTheTargetAndIsKeptHere) {
  push();
  files_.put("~/.hermes/skills/a/SKILL.md", "theirs", 5);
  files_.put("~/.hermes/skills/a/run.sh", "theirs, too", 5);
  home_.write("skills/a/SKILL.md", "ours, which is newer");
  fs::remove(home_.path("skills/a/run.sh"));
  push();
  EXPECT_EQ(there("skills/a/SKILL.md"), "theirs");
  EXPECT_EQ(there("skills/a/run.sh"), "theirs, too") << "not removed unseen";
  EXPECT_THAT(pull(), ElementsAre(HasSubstr("Ours is kept as " + kept_directory(home_.path()))));
  EXPECT_EQ(home_.read("skills/a/SKILL.md"), "theirs");
  EXPECT_THAT(kept(), ElementsAre("ours, which is newer"));
}

// What was copied was known to one program only. The next one compared times: a target whose clock
// is behind lost its change.
TEST_F(FileSyncTest, TheNextProgramKnowsWhatWasChangedThereWhateverTheClocksSay) {
  push();
  files_.put("~/.hermes/skills/a/SKILL.md", "better", 5);
  begin_next_program();
  written();
  EXPECT_THAT(push(), IsEmpty());
  EXPECT_THAT(written(), IsEmpty());
  EXPECT_EQ(there("skills/a/SKILL.md"), "better");
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(home_.read("skills/a/SKILL.md"), "better");
  EXPECT_THAT(kept(), IsEmpty());
}

// It was replaced by the edit, without a copy.
TEST_F(FileSyncTest, AnEditBetweenTwoProgramsDoesNotReplaceWhatIsStillThere) {
  push();
  files_.put("~/.hermes/skills/a/SKILL.md", "theirs", 5);
  begin_next_program();
  home_.write("skills/a/SKILL.md", "ours, which is newer");
  EXPECT_THAT(push(), IsEmpty());
  EXPECT_EQ(there("skills/a/SKILL.md"), "theirs");
  EXPECT_THAT(pull(), ElementsAre(HasSubstr("Ours is kept as")));
  EXPECT_EQ(home_.read("skills/a/SKILL.md"), "theirs");
  EXPECT_THAT(kept(), ElementsAre("ours, which is newer"));
}

// The other way round: theirs was newer, and replaced our edit without a copy.
TEST_F(FileSyncTest, AnEditBetweenTwoProgramsIsKeptIfTheirsIsNewer) {
  push();
  begin_next_program();
  home_.write("skills/a/SKILL.md", "ours, of another size");
  files_.put("~/.hermes/skills/a/SKILL.md", "theirs", std::int64_t{4'000'000'000} * 1'000'000'000);
  EXPECT_THAT(push(), IsEmpty());
  EXPECT_THAT(pull(), ElementsAre(HasSubstr("Ours is kept as")));
  EXPECT_EQ(home_.read("skills/a/SKILL.md"), "theirs");
  EXPECT_THAT(kept(), ElementsAre("ours, of another size"));
}

TEST_F(FileSyncTest, WhatOnlyWeChangedGoesThereAlsoIfItIsOlder) {
  push();
  begin_next_program();
  home_.write("skills/a/SKILL.md", "from an archive");
  fs::last_write_time(home_.path("skills/a/SKILL.md"),
                      fs::file_time_type::clock::now() - std::chrono::hours(1000));
  written();
  EXPECT_THAT(push(), IsEmpty());
  EXPECT_THAT(written(), ElementsAre("skills/a/SKILL.md"));
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(home_.read("skills/a/SKILL.md"), "from an archive");
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(FileSyncTest, WithoutARecordACopyOfTheirsIsKeptOnce) {
  push();
  lose_record();
  files_.put("~/.hermes/skills/a/SKILL.md", "only there", 5);
  files_.put("~/.hermes/skills/a/run.sh", "run", 5);  // as ours, but for its time
  begin_next_program();
  written();
  files_.refused = {"skills/a/SKILL.md"};
  EXPECT_THAT(push(), testing::Contains(HasSubstr("Theirs is kept as")));
  EXPECT_EQ(there("skills/a/SKILL.md"), "only there");
  files_.refused.clear();
  EXPECT_THAT(push(), IsEmpty()) << "said already";
  EXPECT_THAT(written(), ElementsAre("skills/a/SKILL.md"));
  EXPECT_THAT(kept(), ElementsAre("only there"));
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(home_.read("skills/a/SKILL.md"), "skill a");
}

TEST_F(FileSyncTest, WithoutARecordACopyOfOursIsKeptWhereTheirsIsNewer) {
  push();
  lose_record();
  begin_next_program();
  files_.put("~/.hermes/skills/a/SKILL.md", "theirs", std::int64_t{4'000'000'000} * 1'000'000'000);
  EXPECT_THAT(push(), IsEmpty());
  EXPECT_THAT(pull(), ElementsAre(HasSubstr("Ours is kept as")));
  EXPECT_EQ(home_.read("skills/a/SKILL.md"), "theirs");
  EXPECT_THAT(kept(), ElementsAre("skill a"));
}

TEST_F(FileSyncTest, ADamagedRecordIsAsGoodAsNone) {
  push();
  for (const auto& one : fs::directory_iterator(home_.path("talaria/sync/record"))) {
    std::ofstream(one.path()) << "{\"skills/a/SKILL.md\": 7";
  }
  files_.put("~/.hermes/skills/a/SKILL.md", "only there", 5);
  begin_next_program();
  EXPECT_THAT(push(), ElementsAre(HasSubstr("Theirs is kept as")));
  EXPECT_EQ(there("skills/a/SKILL.md"), "skill a");
  EXPECT_THAT(kept(), ElementsAre("only there"));
}

// It came back as a new one.
TEST_F(FileSyncTest, WhatIsRemovedBetweenTwoProgramsIsRemovedThere) {
  push();
  fs::remove(home_.path("skills/a/run.sh"));
  begin_next_program();
  EXPECT_THAT(push(), IsEmpty());
  EXPECT_EQ(there("skills/a/run.sh"), "(none)");
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_FALSE(fs::exists(home_.path("skills/a/run.sh")));
}

// A program may register credentials that another one does not know.
TEST_F(FileSyncTest, WhatAnotherProgramSharesStaysThere) {
  push();
  SharedFiles fewer({.home = home_.path()});
  FileSync other({.home = home_.path()}, [&] { return fewer.files(); });
  EXPECT_THAT(test::run_to_end(other.push(files_, CancelToken{})), IsEmpty());
  EXPECT_EQ(there("token"), "secret");
  begin_next_program();
  files_.put("~/.hermes/token", "renewed", 5);
  push();
  EXPECT_THAT(pull(), IsEmpty()) << "it is still in the record";
  EXPECT_EQ(home_.read("token"), "renewed");
}

TEST_F(FileSyncTest, WhatIsWrittenThereMeanwhileIsNotReplaced) {
  push();
  home_.write("skills/a/SKILL.md", "ours, changed");
  files_.on_write = [this] { files_.put("~/.hermes/skills/a/SKILL.md", "theirs", 5); };
  EXPECT_THAT(push(), IsEmpty());
  EXPECT_EQ(there("skills/a/SKILL.md"), "theirs");
  files_.on_write = nullptr;
  EXPECT_THAT(pull(), ElementsAre(HasSubstr("Ours is kept as")));
  EXPECT_THAT(kept(), ElementsAre("ours, changed"));
}

TEST_F(FileSyncTest, AnEditWhileTheirsIsOnItsWayIsKept) {
  push();
  files_.put("~/.hermes/skills/a/SKILL.md", "theirs", 5);
  int calls = 0;
  files_.on_call = [&]() -> Result<void> {
    if (++calls == 5) home_.write("skills/a/SKILL.md", "ours, at the last moment");
    return {};
  };
  EXPECT_THAT(pull(), ElementsAre(HasSubstr("Ours is kept as")));
  EXPECT_THAT(kept(), ElementsAre("ours, at the last moment"));
}

// What came back is the same on both sides from then on.
TEST_F(FileSyncTest, AnEditAfterAFileCameBackGoesThere) {
  push();
  files_.put("~/.hermes/skills/a/SKILL.md", "theirs", 5);
  EXPECT_THAT(pull(), IsEmpty());
  begin_next_program();
  home_.write("skills/a/SKILL.md", "ours again");
  EXPECT_THAT(push(), IsEmpty());
  EXPECT_EQ(there("skills/a/SKILL.md"), "ours again");
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(FileSyncTest, AnInterruptionLeavesNoPartAndIsNotTriedAgain) {
  push();
  files_.put("~/.hermes/skills/a/SKILL.md", "better");
  files_.put("~/.hermes/skills/a/run.sh", "better, too");
  int calls = 0;
  files_.on_call = [&]() -> Result<void> {
    if (++calls == 5) cancel_.cancel();  // two lists, each with a credential; then the first file
    return {};
  };
  EXPECT_THAT(pull(), ElementsAre(HasSubstr("It stays there")));
  EXPECT_FALSE(complete_);
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(home_.read("skills/a/SKILL.md"), "skill a");
  EXPECT_FALSE(fs::exists(parts_directory(home_.path())));
}

TEST_F(FileSyncTest, PartsOfFilesAreCopiedInNeitherDirection) {
  home_.write("skills/a/.talaria-0123456789abcdef", "a part");
  EXPECT_THAT(push(), IsEmpty());
  EXPECT_THAT(written(), ElementsAre("skills/a/SKILL.md", "skills/a/run.sh", "token"));
  files_.put("~/.hermes/skills/a/.talaria-fedcba9876543210", "a part");
  fs::create_directories(parts_directory(home_.path()));
  ::chmod(home_.path("talaria").c_str(), 0700);
  home_.write("talaria/sync/parts/.talaria-00", "of a killed program");
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_FALSE(fs::exists(home_.path("skills/a/.talaria-fedcba9876543210")));
  EXPECT_FALSE(fs::exists(parts_directory(home_.path())));
}

TEST_F(FileSyncTest, BringingBackIsTriedThreeTimes) {
  push();
  files_.put("~/.hermes/skills/a/SKILL.md", "changed");
  int calls = 0;
  files_.on_call = [&]() -> Result<void> {
    if (++calls <= 2) return fail(ErrorKind::unavailable, "the link broke");
    return {};
  };
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(home_.read("skills/a/SKILL.md"), "changed");
  files_.put("~/.hermes/skills/a/SKILL.md", "once more");
  files_.on_call = [] { return fail(ErrorKind::unavailable, "the link broke"); };
  EXPECT_THAT(pull(), ElementsAre(HasSubstr("the link broke")));
  EXPECT_EQ(home_.read("skills/a/SKILL.md"), "changed");
}

}  // namespace
}  // namespace talaria::host
