// Every bound of the controller, in one place: what one caller, one call or one command may cost.
// Bounds of the wire and of the runner stand beside them, in link and runner.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace talaria {

// JSON lines: one request.
inline constexpr std::size_t kMaxLineBytes = 64u << 20;
// JSON lines: calls under way at once; further ones wait for their turn.
inline constexpr std::size_t kMaxRunningCalls = 256;
// JSON lines: calls of the process tool under way besides.
inline constexpr std::size_t kMaxLookingCalls = 4096;
// JSON lines: requests read but not yet started. Above it we stop reading.
inline constexpr std::size_t kMaxWaitingBytes = 64u << 20;
// JSON lines: answers the client has not yet taken. Above it we stop reading.
inline constexpr std::size_t kMaxUnsentBytes = 16u << 20;

// JSON lines: subscriptions for events at once, and bytes of the name of one.
inline constexpr std::size_t kMaxSubscriptions = 256;
inline constexpr std::size_t kMaxConsumerBytes = 256;

// JSON lines: output of one request that the client has not said it took: usual, least, most.
inline constexpr std::uint64_t kUsualWindow = 1u << 20;
inline constexpr std::uint64_t kLeastWindow = 4096;
inline constexpr std::uint64_t kMostWindow = 16u << 20;
// JSON lines: input of all requests of a client that they have not taken.
inline constexpr std::size_t kMaxWaitingInput = 64u << 20;
// JSON lines: output of one stream in the result of an exec.
inline constexpr std::uint64_t kMostExecOutput = 64u << 20;
// JSON lines: tools that a client serves to its scripts, bytes of the name of one, and calls of
// them that wait for their answer.
inline constexpr std::size_t kMaxServedTools = 256;
inline constexpr std::size_t kMaxServedName = 64;
inline constexpr std::size_t kMaxServedCalls = 1024;
// JSON lines: how often a request may say that it is still there.
inline constexpr std::chrono::milliseconds kLeastHeartbeat{100};
inline constexpr std::chrono::milliseconds kMostHeartbeat{3'600'000};

// JSON lines: how long a client may take to read its last answers after we are asked to stop.
inline constexpr std::chrono::seconds kLastWriteWait{2};

// A task id, which is also the name of a session at the target.
inline constexpr std::size_t kMaxTaskBytes = 256;

// Tasks a list of environments names for each of them.
inline constexpr std::size_t kMaxListedTasks = 1000;

// Environments that are made, and that are closed, at the same time: an engine that is asked for
// fifty at once answers none of them in time.
inline constexpr std::size_t kMostMadeAtOnce = 8;
inline constexpr std::size_t kMostClosedAtOnce = 8;

// Threads of an event loop for work that takes long (base/off_loop.h), and the texts that are short
// enough to be worked on without them: that takes a few milliseconds at most.
inline constexpr std::size_t kThreadsOffLoop = 2;
inline constexpr std::size_t kMaxBytesOnLoop = 64u << 10;

// `talaria exec --stdin`: what is passed on to the command.
inline constexpr std::size_t kMaxStdinBytes = 64u << 20;

// What a tool result shows of a command's output, in characters (tool_output.max_bytes).
inline constexpr std::size_t kDefaultOutputChars = 50'000;
// The longest character in UTF-8: how many bytes to ask for when characters are wanted.
inline constexpr std::size_t kMaxUtf8Bytes = 4;

// What of one command's output is kept in a file at its target, bytes (terminal.spill_quota_mb).
inline constexpr std::uint64_t kDefaultSpillQuota = 64u << 20;

// Watch patterns of one process, and bytes of one.
inline constexpr std::size_t kMaxWatchPatterns = 64;
inline constexpr std::size_t kMaxWatchPatternBytes = 256;

// `process read`: bytes of one answer.
inline constexpr std::size_t kDefaultReadBytes = 64u << 10;
inline constexpr std::size_t kMaxReadBytes = 1u << 20;

// Files for programs: bytes of one answer, and of what is read at a time of one that is sent on.
inline constexpr std::size_t kMaxFilePart = 16u << 20;
inline constexpr std::size_t kTransferPiece = 1u << 20;
// Files for programs: entries of one list.
inline constexpr std::size_t kMaxListedEntries = 100'000;

// How long after the end of its last process an environment is still asked for processes.
inline constexpr std::chrono::hours kLatelyEnded{24};

// The name of a mark in a process's output.
inline constexpr std::size_t kMaxMarkBytes = 128;

// `process screen`: how much of the last output is replayed to find out what a screen shows.
inline constexpr std::uint64_t kMaxReplay = 8u << 20;

// Editing: the largest file, in bytes and in lines (each costs some memory), and the largest
// result; how many places one edit may change.
inline constexpr std::size_t kMaxEditBytes = 128u << 20;
inline constexpr std::size_t kMaxEditLines = 5'000'000;
inline constexpr std::size_t kMaxEditPlaces = 1'000'000;
// Editing: how much comparing one search may cost before what is merely similar is given up, and
// how much finding the smallest diff may cost before a larger one will do. About 1 ns each.
inline constexpr std::size_t kMaxSimilaritySteps = 100'000'000;
inline constexpr std::size_t kMaxDiffSteps = 100'000'000;
// Editing: hunks of one file that may fail before the others are not tried.
inline constexpr std::size_t kMaxFailedHunks = 10;
// Editing: what a failure shows of the file, in places, lines of one place, and characters of a
// line.
inline constexpr std::size_t kMaxShownPlaces = 20;
inline constexpr std::size_t kMaxShownLines = 20;
inline constexpr std::size_t kMaxShownChars = 400;

// One value of a task's override, and the file of all that are stored.
inline constexpr std::size_t kMaxOverrideBytes = 4096;
inline constexpr std::size_t kMaxOverridesFileBytes = 64u << 20;

// <home>/.env and <home>/config.yaml, each.
inline constexpr std::size_t kMaxConfigFileBytes = 1u << 20;

// Files of the home that targets get, all together (skills, caches, credentials).
inline constexpr std::size_t kMaxSharedFiles = 20'000;
// How often a target is looked at for such files, and how much it may have of them to bring back.
inline constexpr std::chrono::milliseconds kSyncPause{5'000};
inline constexpr std::uint64_t kMaxSyncBackBytes = 2ull << 30;
inline constexpr std::chrono::milliseconds kSyncBackRetry{2'000};
inline constexpr std::chrono::seconds kSyncLockPatience{60};  // for another program that does it

// The store (<home>/talaria/talaria.db): how long to wait for another program that writes.
inline constexpr std::chrono::seconds kStorePatience{5};
// The same of one try on an event loop, and the pause until the next one.
inline constexpr std::chrono::milliseconds kStorePatienceOnLoop{5};
inline constexpr std::chrono::milliseconds kStorePause{10};
// The store: events, by number and by age, whatever their consumers have had of them.
inline constexpr std::size_t kMaxStoredEvents = 10'000;
inline constexpr std::chrono::days kEventRetention{30};
// The store: processes that have ended, by number and by age, with the marks of their readers.
inline constexpr std::size_t kMaxStoredProcesses = 100'000;
inline constexpr std::chrono::days kEndedProcessRetention{7};
// The store: processes of which no end was ever heard, from their start.
inline constexpr std::chrono::days kRunningProcessRetention{365};
// The store: one row's command (its beginning) and output (its end).
inline constexpr std::size_t kMaxStoredCommandBytes = 4096;
inline constexpr std::size_t kMaxStoredOutputBytes = 64u << 10;
// The store is cleared up whenever so many rows were added.
inline constexpr int kStorePruneEvery = 256;

// Approvals: how long a session's grants count, and the answer to a question nobody waits for.
inline constexpr std::chrono::hours kSessionGrantLife{24};
inline constexpr std::chrono::hours kUnwaitedAnswerLife{1};
// Approvals: bytes of a command that can be asked about; a person is to read all of it.
inline constexpr std::size_t kMaxAskedCommandBytes = 256u << 10;
// Approvals: bytes of what a person writes with a denial.
inline constexpr std::size_t kMaxAnswerWords = 4096;
// Approvals: questions of one program that wait at the same time.
inline constexpr std::size_t kMaxWaitingQuestions = 1000;
// Approvals: of those, questions of one session; at a gateway, of all sandboxes of one user.
inline constexpr std::size_t kMaxQuestionsOfOne = 100;
// Approvals: how often to look for an answer that could not wake us (of another machine).
inline constexpr std::chrono::seconds kAnswerLook{2};
// Approvals: what is taken of a scanner's findings, and of its summary in characters.
inline constexpr std::size_t kMaxScannerFindings = 50;
inline constexpr std::size_t kMaxScannerSummary = 500;

// The audit log: bytes of a command in one line.
inline constexpr std::size_t kMaxAuditCommandBytes = 32u << 10;

// The command line: processes a shell offers to complete, the newest ones; events shown unless all
// are asked for; what of the last output `attach` shows first, how far back it looks for what is
// switched on at the terminal, and how much input it keeps for a process that does not read.
inline constexpr std::size_t kMaxOfferedProcesses = 100;
inline constexpr std::size_t kShownEvents = 50;
inline constexpr std::uint64_t kAttachReplay = 64u << 10;
inline constexpr std::uint64_t kAttachLookBack = 1u << 20;
inline constexpr std::size_t kMaxUntypedBytes = 1u << 20;
// The command line: the longest escape sequence that is taken for one.
inline constexpr std::size_t kMaxTerminalSequence = 4096;
// The command line: how far back `logs --tail` looks for the beginning of its lines.
inline constexpr std::uint64_t kMaxTailBytes = 64u << 20;
// `events --follow`: how often to look whether processes were started at further targets.
inline constexpr std::chrono::seconds kTargetLook{2};

// A screen that is drawn for somebody: what a terminal may measure.
inline constexpr std::uint32_t kMinScreenRows = 1;
inline constexpr std::uint32_t kMinScreenCols = 2;  // a wide character has to fit
inline constexpr std::uint32_t kMaxScreenRows = 500;
inline constexpr std::uint32_t kMaxScreenCols = 1000;

// The longest time any variable or option may name: keeps every later sum in range.
inline constexpr std::chrono::seconds kMaxDuration{1'000'000'000};

}  // namespace talaria
