// WrittenFiles: what the text has written into which files so far. A path that was not written to
// is taken for any file with its last name: it may lead through links and directories nobody knows.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::guard {

struct FileContent {
  std::shared_ptr<const std::string> text;  // null: not known; it may have unknown pieces
  bool part = false;                        // it was put into what was there before
  bool unseen = false;  // it comes from the network, a decoder or a variable, not from the project
  std::vector<std::string> paths = {};  // that it lists, where its text is not known
};

struct WrittenFile {
  std::string path;
  std::vector<FileContent> contents;  // one of them
};

class WrittenFiles {
 public:
  static constexpr std::size_t kMaxFiles = 256;
  static constexpr std::size_t kMaxContents = 64;

  bool empty() const { return files_.empty(); }
  std::size_t changes() const { return changes_; }  // grows with every one

  // False: there are too many. `instead`: what was there before is gone.
  bool write(const std::string& path, FileContent content, bool instead);
  // Behind what is there.
  bool append(const std::string& path, const FileContent& content);

  // The files it may be, by the last name or a pattern of it, in which an unknown piece stands for
  // anything. They stay where they are until the next change.
  std::vector<const WrittenFile*> find(std::string_view path) const;
  std::vector<const WrittenFile*> all() const { return find("*"); }

 private:
  WrittenFile* find_exact(std::string_view path) const;

  std::multimap<std::string, std::unique_ptr<WrittenFile>, std::less<>> files_;  // by last names
  std::size_t changes_ = 0;
};

}  // namespace talaria::guard
