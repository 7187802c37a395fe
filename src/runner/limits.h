// Every bound of the runner, in one place; docs/reference/configuration.md shows those people meet.
// The link's own are in link/limits.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace talaria::runner {

inline constexpr std::size_t kMaxCommandBytes = 24u << 20;  // one command's text
inline constexpr std::size_t kLargestSpec = 64u << 20;      // of a SpawnRequest
inline constexpr std::size_t kLargestDump = 64u << 20;      // the state a command leaves
inline constexpr std::size_t kLongCommand = 4096;           // its start is confirmed before it
                                                            //   ends: not worth sending twice
inline constexpr int kCommandOomScore = 200;  // a command that takes all memory is ended, and not
                                              //   the runner of all the others
inline constexpr std::size_t kOutputHead = 64u << 10;    // kept in memory per command, from the
inline constexpr std::size_t kOutputTail = 256u << 10;   //   beginning and from the end
inline constexpr std::size_t kMostSwitches = 64u << 10;  // between output and errors, known
inline constexpr std::size_t kStreamedTail = 1u << 20;   //   if a reader wants all of it
inline constexpr std::size_t kSpillAfter = 32u
                                           << 10;  // more than this goes to a file, too, so that
                                                   //   a caller that shows less can name the file
inline constexpr std::size_t kBackgroundTail = 64u << 10;  // in memory per background command
inline constexpr std::uint64_t kSpillStep = 1u << 20;      // old output is given up in such
                                                           //   pieces, or an eighth of the quota
inline constexpr std::size_t kReadChunk = 256u << 10;      // one read of a command's output
inline constexpr int kReadsPerTurn = 4;                    // then other commands get theirs
inline constexpr std::uint64_t kMaxReportedOutput = 8u << 20;  // head and tail of one report, each
inline constexpr std::size_t kInputWindow = 256u << 10;        // stdin on its way to one command
inline constexpr std::size_t kMaxInputWriters = 64;            // whose cursors one command keeps
inline constexpr std::size_t kMaxSizeChanges = 32;             // of a terminal, the last ones
inline constexpr std::uint32_t kTerminalRows = 30;             // if the caller names none
inline constexpr std::uint32_t kTerminalCols = 120;
inline constexpr std::uint32_t kMaxTerminalSide = 1000;      // rows, and columns
inline constexpr std::uint64_t kTerminalBuffer = 32u << 10;  // more than the kernel holds of what
                                                             //   a terminal's program printed
inline constexpr std::size_t kInputLooks = 64;  // processes one List looks at to see what they
                                                //   wait for
inline constexpr std::size_t kInputTree = 256;  // and of what each of them has started
inline constexpr std::uint64_t kLeastDescriptors = 32;  // of a runner: less serves no command
inline constexpr std::size_t kMaxRunning = 8192;        // live commands
inline constexpr std::size_t kMaxRefused = 64;     // starts that were not judged as they should
inline constexpr std::size_t kMaxFinished = 64;    // ended foreground commands whose output is kept
inline constexpr std::size_t kShownCommand = 200;  // bytes of a command in a list ...
inline constexpr std::size_t kStoredCommand = 16u << 10;   // ... and kept of a background one
inline constexpr std::size_t kMaxListedBytes = 16u << 20;  // one list; then it is brief

// Processes in the background, where a start does not say otherwise (ProcessLimits).
inline constexpr std::uint64_t kMaxBackground = 4096;
inline constexpr std::uint64_t kMaxTerminals = 256;
inline constexpr std::uint64_t kMaxFinishedBackground = 64;  // more are forgotten at the next start
inline constexpr std::uint64_t kMostFinishedBackground = 4096;  // more than this at once
inline constexpr auto kFinishedRetention = std::chrono::milliseconds(1'800'000);  // from the end

inline constexpr std::size_t kMaxQueuedEvents = 8192;  // that were not acknowledged
inline constexpr std::size_t kMaxQueuedEventBytes = 32u << 20;
inline constexpr std::size_t kEventOutput = 8000;        // bytes of output in the event of an end
inline constexpr std::size_t kEventsAhead = 256u << 10;  // bytes on their way to one follower

// Watch patterns (runner/watch).
inline constexpr std::size_t kMaxWatched = 64;        // of one process
inline constexpr std::size_t kMaxWatchedBytes = 256;  // bytes of one
inline constexpr std::size_t kWatchLine = 4096;   // bytes of an unfinished line that are searched
inline constexpr std::size_t kWatchLines = 20;    // lines in one event
inline constexpr std::size_t kWatchChars = 2000;  // characters of them
inline constexpr int kWatchStrikes = 3;           // windows in a row with too much: no more
inline constexpr std::size_t kWatchBurst = 15;    // events of all processes within ...
inline constexpr auto kWatchBurstWindow = std::chrono::seconds(10);  // ... this, then none for ...
inline constexpr auto kWatchMute = std::chrono::seconds(30);         // ... this
inline constexpr auto kWatchCooldown = std::chrono::seconds(15);  // between events of one process

inline constexpr std::size_t kLargestJob = 1u << 20;  // what is kept of one process on disk
inline constexpr std::size_t kMaxArchived = 4096;     // ends that were not read, on disk alone ...
inline constexpr auto kEndAge = std::chrono::hours(30 * 24);  // ... and for how long
inline constexpr auto kSpillAge = std::chrono::hours(24);     // output that belongs to none of them
inline constexpr std::uint64_t kMaxEndedSpill = 1u << 30;     // bytes: output of all that ended, or
                                                              //   a quarter of the free space
inline constexpr auto kSpillPause = std::chrono::seconds(5);  // from an end to the next look at it
inline constexpr auto kSpillLook = std::chrono::hours(1);     // and if nothing ends
inline constexpr std::size_t kMaxSessions = 4096;     // in memory; those on disk are not counted
inline constexpr std::size_t kMaxIdleSessions = 256;  // of these
inline constexpr std::size_t kWarmShellsPerSession = 2;
inline constexpr std::size_t kManySessions = 8;  // in memory; then there are spare shells, ...
inline constexpr std::size_t kSpareShells = 2;   // ... which wait and belong to no session
inline constexpr std::size_t kDescriptorsPerShell = 8;  // of a waiting one, in the runner
inline constexpr std::size_t kProcessesPerShell = 2;    // it and its reaper
inline constexpr std::uint64_t kFewProcesses = 4096;    // a cgroup that allows more is not counted
inline constexpr std::uint64_t kSpareProcesses = 16;    // with fewer left, idle shells end
inline constexpr auto kCountPause = std::chrono::milliseconds(200);  // between counts
inline constexpr std::size_t kFreeReapers = 8;  // that wait for their next program
inline constexpr std::size_t kMaxSharedPreludes = 8;
inline constexpr std::size_t kMaxWarmShells = 256;  // of all sessions

inline constexpr std::size_t kMaxLogins = 16;            // login states kept, on disk and in memory
inline constexpr std::size_t kLargestLogin = 64u << 20;  // one of them on disk
inline constexpr std::size_t kLargestLoginFile = 4u << 20;  // an rc file that is searched for names
inline constexpr std::size_t kLoginTrace = 4u << 20;        // what login files may do, traced

// Files.
inline constexpr std::size_t kMaxUploads = 256;           // under way at once
inline constexpr std::size_t kMaxFinishedUploads = 1024;  // remembered, in case they come again
inline constexpr std::size_t kUploadAhead = 8u << 20;     // of one, that overtook what is before it
inline constexpr auto kUploadPatience = std::chrono::seconds(60);  // for its next piece
inline constexpr std::size_t kMaxAttributeBytes = 64u << 10;       // one attribute of a file
inline constexpr std::size_t kMaxFileChanges = 64;                 // answers that are remembered
inline constexpr std::size_t kMaxNeighbours = 10'000;  // names that are reported of a directory
inline constexpr std::uint64_t kMaxDigestBytes = 256u << 20;  // of a file that is digested
inline constexpr std::size_t kDigestPerTurn = 4u << 20;       // then others get their turn
inline constexpr std::uint64_t kDigestedPerPage = 64u << 20;  // about, in one answer
inline constexpr std::uint64_t kListedFiles = 4096;           // in one answer
inline constexpr std::size_t kListedFileBytes = 512u << 10;   // of it
inline constexpr std::size_t kListedFileSize = 128;           // of an entry, beside its path
inline constexpr std::size_t kListedPerTurn = 256;
inline constexpr std::uint64_t kLineBlock = 256u
                                            << 10;  // of a file: the newlines before are counted
inline constexpr std::uint64_t kMaxLineBlocks = 64u << 10;  // of one file; then they are larger
inline constexpr std::size_t kMaxLineIndexes = 64;          // files whose lines are known
inline constexpr std::size_t kMaxLineIndexBytes = 4u << 20;
inline constexpr std::uint64_t kMaxLinesBytes = 8u << 20;    // of lines in one answer
inline constexpr std::uint64_t kFileHead = 1000;             // bytes, to find out what it is
inline constexpr std::uint64_t kMaxUnsizedFile = 64u << 20;  // of one that does not say its size
inline constexpr int kMaxLineLooks = 4;                      // at one that is cut while it is read
inline constexpr auto kSettledFile =
    std::chrono::nanoseconds(50'000'000);  // unchanged for so long:
                                           //   its next change shows

// Searches (docs/reference/search.md).
inline constexpr std::size_t kMaxSearches = 32;            // under way at once
inline constexpr std::uint64_t kMaxFound = 100'000;        // results, those passed over included
inline constexpr std::uint64_t kMaxShown = 50'000;         // of them in one answer
inline constexpr std::size_t kMaxFoundBytes = 64u << 20;   // of lines, while it is searched
inline constexpr std::size_t kMaxFoundInFile = 16u << 20;  // of one file, while it is searched
inline constexpr std::size_t kMaxShownBytes = 8u << 20;    // of them in one answer
inline constexpr std::uint64_t kMaxFoundLine = 64u << 10;  // bytes of one
inline constexpr std::uint64_t kMaxContext = 1000;         // lines before and behind a match
inline constexpr std::size_t kMaxSearchFlaws = 100;        // reported files that cannot be read
inline constexpr std::size_t kSearchBuffer = 64u << 10;    // of a file at a time, as ripgrep has it
inline constexpr std::size_t kLongestSearchedLine = 64u << 20;  // a file with a longer one is left
inline constexpr unsigned kMaxSearchThreads = 8;
inline constexpr std::size_t kMaxIgnoreFile = 4u << 20;  // a .gitignore over this is passed over
inline constexpr std::size_t kMaxSearchDepth = 1000;     // directories in directories
inline constexpr auto kSearchTime = std::chrono::milliseconds(60'000);  // if the query has none
inline constexpr auto kLongestSearch = std::chrono::milliseconds(3'600'000);
inline constexpr auto kSearchGrace = std::chrono::seconds(3);  // then it is killed

inline constexpr std::uint64_t kLongestTimeout = 1'000'000'000'000;  // of a command, ms
inline constexpr std::uint64_t kLongestGrace = 3'600'000;            // between TERM and KILL, ms

inline constexpr auto kLostPatience = std::chrono::seconds(2);  // what a dead runner left, to end
inline constexpr auto kLoginAge = std::chrono::hours(24);       // then login files are read again
inline constexpr auto kUntracedLoginAge = std::chrono::seconds(60);  // if they hid what they read
inline constexpr auto kLoginPatience = std::chrono::seconds(30);     // for all login files
inline constexpr auto kDefaultGrace = std::chrono::milliseconds(1000);  // between TERM and KILL
inline constexpr auto kKillPatience = std::chrono::seconds(2);          // KILL may take this long
inline constexpr auto kReaperPatience = std::chrono::seconds(3);        // and its reaper to say so
inline constexpr auto kReportPatience = std::chrono::seconds(1);        // its report of an exit
inline constexpr auto kQuietInput = std::chrono::seconds(1);  // before it counts as waiting for it
inline constexpr auto kOrderAgain = std::chrono::milliseconds(20);  // an order it had no room for
inline constexpr auto kParsePatience = std::chrono::seconds(2);  // bash, with functions it printed
inline constexpr auto kNurseryPatience = std::chrono::seconds(2);  // one that takes no request
inline constexpr auto kDyingLook = std::chrono::milliseconds(5);   // between looks at dying cgroups
inline constexpr int kLastLooks = 400;                             // before the nursery ends
inline constexpr auto kForegroundWithoutLink = std::chrono::seconds(30);
inline constexpr auto kWarmQuiet = std::chrono::seconds(10);  // then another session may have its
                                                              //   warm shells
inline constexpr auto kRefillPause =
    std::chrono::milliseconds(2);  // from a start in the background
                                   //   to the next warm shell
inline constexpr auto kSessionIdle =
    std::chrono::seconds(60);  // then only its state on disk is kept
inline constexpr auto kAcceptPause = std::chrono::milliseconds(100);  // after a failed accept
inline constexpr auto kHelloPatience = std::chrono::seconds(10);  // a connection that says nothing

}  // namespace talaria::runner
