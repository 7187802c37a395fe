/* Talaria for C, and for every language that can call C. Requests and answers are JSON text, in
 * UTF-8: those of JSON lines (docs/reference/json-lines.md), without the id of a request.
 *
 *   char* error = NULL;
 *   talaria_runtime* t = talaria_open("{\"cwd\":\"/usr\"}", &error);
 *   char* answer = talaria_call(t, "{\"tool\":\"terminal\",\"args\":{\"command\":\"pwd\"}}");
 *   puts(answer);                  {"id":1,"result":{"output":"/usr","exit_code":0,...}}
 *   talaria_free(answer);
 *   talaria_close(t);
 *
 * Any thread may call these functions, many at once. Callbacks come on a thread of Talaria's own:
 * they must return soon, must not throw, and must call neither talaria_call() nor talaria_close().
 * Texts that a callback is given are valid until it returns; those that a function returns are
 * released with talaria_free(). */
#ifndef TALARIA_H
#define TALARIA_H

#include <stdint.h>
#include <talaria/version_number.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TALARIA_C_API
#define TALARIA_C_API __attribute__((visibility("default")))
#endif

typedef struct talaria_runtime talaria_runtime;
typedef void (*talaria_callback)(void* user, const char* json);

/* TALARIA_VERSION_NUMBER of the library. */
TALARIA_C_API unsigned talaria_version_number(void);

/* `options`: NULL, or a JSON object with any of
 *   "home"          directory of configuration and state
 *   "cwd"           where commands without a session start
 *   "settings"      {NAME: VALUE, ...}, by the names of `talaria config`
 *   "variables"     ["NAME=value", ...], for every command
 *   "pass_through"  [NAME, ...], of <home>/.env
 *   "name"          of the program, in the audit log
 * NULL: it failed, and `*error` (if `error` is not NULL) is {"kind","reason","message"}. */
TALARIA_C_API talaria_runtime* talaria_open(const char* options, char** error);

/* Waits for the answer: {"id":...,"result":{...}} or {"id":...,"error":{"kind","message"}}. A
 * request is {"tool","args"[,"task","session_key",...]} or {"method"[,"params"]}. A tool without a
 * task has the session of this runtime; the task "default" is shared by all programs. */
TALARIA_C_API char* talaria_call(talaria_runtime* t, const char* request);

/* The same with a callback, which is called exactly once, also if the request is wrong. Returns the
 * number of the call, for talaria_cancel(). */
TALARIA_C_API uint64_t talaria_start(talaria_runtime* t, const char* request, talaria_callback done,
                                     void* user);

/* Ends a call and what it started. It still gets its answer. A call that has ended is ignored. */
TALARIA_C_API void talaria_cancel(talaria_runtime* t, uint64_t call);

/* What gets the events that events.subscribe and approvals.subscribe ask for, {"event":{...}}, and
   the parts of answers that are still to come, {"id":CALL,"part":{...}}. */
TALARIA_C_API void talaria_events(talaria_runtime* t, talaria_callback on_event, void* user);

/* Cancels the calls, answers each and releases everything. NULL is ignored. In a process that was
 * forked from the one that opened it, it does nothing. */
TALARIA_C_API void talaria_close(talaria_runtime* t);

TALARIA_C_API void talaria_free(char* text);

#ifdef __cplusplus
}
#endif

#endif
