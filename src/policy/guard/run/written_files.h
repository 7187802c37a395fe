// WrittenFiles: what the text has written into which files so far, for whatever takes commands or
// instructions from one. Two paths are told apart where both are known; else by their last names.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::guard {

// A path as the text knows it.
struct FilePath {
  std::string path;  // from the root where that is known; an unknown piece stays
  int moves = 0;     // how often the directory had been changed
};

struct FileContent {
  std::shared_ptr<const std::string> text;  // null: not known; it may have unknown pieces
  bool part = false;                        // it was put into what was there before
  bool unseen = false;  // it comes from the network, a decoder or a variable, not from the project
};

struct WrittenFile {
  FilePath name;
  std::vector<FileContent> contents;  // one of them
};

class WrittenFiles {
 public:
  static constexpr std::size_t kMaxFiles = 256;
  static constexpr std::size_t kMaxContents = 64;

  bool empty() const { return files_.empty(); }
  std::size_t changes() const { return changes_; }  // grows with every one

  // False: there are too many. `instead`: what was there before is gone.
  bool write(const FilePath& name, FileContent content, bool instead);
  // Behind what is there.
  bool append(const FilePath& name, const FileContent& content);

  // How much is there to be copied.
  std::size_t size_of(const FilePath& name);

  // From now on a file may have several paths: a link was made, or a directory was moved.
  void link() { linked_ = true; }

  // The files it may be; they stay where they are until the next change.
  std::vector<const WrittenFile*> find(const FilePath& name) const;
  // Those whose last name fits a pattern, in which an unknown piece stands for anything.
  std::vector<const WrittenFile*> match(std::string_view pattern) const;
  std::vector<const WrittenFile*> all() const;

 private:
  bool is_same(const FilePath& one, const FilePath& other) const;
  WrittenFile* find_exact(const FilePath& name);

  std::multimap<std::string, WrittenFile, std::less<>> files_;  // by their last names
  std::size_t changes_ = 0;
  bool linked_ = false;
};

}  // namespace talaria::guard
