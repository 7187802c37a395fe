/* Talaria from C. Prints the answer to one call, and what became of a call that was cancelled. */
#include <stdio.h>
#include <talaria.h>

static void show(void* user, const char* json) {
  (void)user;
  printf("%s\n", json);
}

int main(void) {
  char* error = NULL;
  talaria_runtime* t = talaria_open("{\"cwd\":\"/usr\",\"variables\":[\"WHO=me\"]}", &error);
  if (!t) {
    fprintf(stderr, "%s\n", error);
    talaria_free(error);
    return 1;
  }
  char* answer =
      talaria_call(t, "{\"tool\":\"terminal\",\"args\":{\"command\":\"echo $WHO in $PWD\"}}");
  printf("%s\n", answer);
  talaria_free(answer);

  uint64_t call =
      talaria_start(t, "{\"tool\":\"terminal\",\"args\":{\"command\":\"sleep 600\"}}", show, NULL);
  talaria_cancel(t, call);
  talaria_close(t); /* waits for the answer */
  return 0;
}
