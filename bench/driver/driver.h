/*
 * The benchmark driver: plays an MCP host in front of several stdio MCP servers ("subjects") and writes what it
 * measured as JSON lines. A subject whose command is an http:// address is a remote server, which it calls itself. It takes no averages over rounds and knows no targets: that is the report's work. The first
 * subject is the yardstick, and every answer of the others is compared with its answer to the same request.
 *
 *   main.c     rounds and their order, the summary
 *   plan.c     reads what to run from a file
 *   figures.c  what is measured: sequential and pipelined calls, start, memory
 *   server.c   one running subject: spawn, lines in and out, stop
 *   http.c     the same for a remote server, over keep-alive connections
 *   messages.c what is said to it: handshake, calls, and what its answers are
 *   process.c  /proc: memory and CPU time of a process tree
 *   samples.c  a growing list of numbers and its percentiles
 */
#ifndef BENCH_DRIVER_H
#define BENCH_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { MAX_SUBJECTS = 16, MAX_ARGUMENTS = 40, MAX_TREE = 256 };

/* ---- samples.c ---- */

typedef struct {
  double *values;
  size_t count, capacity;
} Samples;

void samples_add(Samples *samples, double value);
/* Linear interpolation between the neighbouring ranks; NAN without samples. Sorts in place. */
double samples_percentile(Samples *samples, double fraction);
double samples_mean(const Samples *samples);
void samples_free(Samples *samples);

/* ---- plan.c ---- */

typedef enum { FIGURE_SEQUENTIAL, FIGURE_PIPELINED, FIGURE_START, FIGURE_MEMORY } Figure;

typedef struct {
  char *name;
  char *arguments[MAX_ARGUMENTS + 1];
  char **environment;
  char *directory, *stderr_path;
  bool optional; /* left out of later rounds once it has failed or used up its budget */

  /* What happened to it, over all rounds. */
  long calls; /* tools/call requests written */
  int failures;
  char reason[200]; /* of the last failure */
  long changed;     /* answers that differ from the yardstick's */
  long compared;
  int leaked; /* processes that outlived it */
  int stubborn; /* times it had to be killed after its stdin was closed */
  int bad_exits, last_exit;
  double spent_ms;

  /* Hash of each answer of the current round, by request id; 0 where there was none. */
  uint64_t *answers;
  size_t answer_capacity;
} Subject;

typedef struct {
  Figure figure;
  int rounds, calls, warmup, inflight;
  size_t size; /* bytes in the argument of a call */
  bool mixed;  /* payload with escapes and multi-byte text instead of plain ASCII */
  bool socket; /* stdio over a socket pair instead of pipes */
  int pin;     /* CPU for the driver and everything it starts; -1: not pinned */
  int settle_ms, timeout_ms, block_ms, budget_ms;
  int huge_calls; /* memory: calls of 20 MB at the end */
  char *tool, *argument, *protocol;
  Subject subjects[MAX_SUBJECTS];
  int subject_count;
} Plan;

/* Reads a plan file, ends the program with a message when it makes no sense. */
void plan_read(Plan *plan, const char *path);

/* ---- server.c ---- */

typedef struct {
  Subject *subject;
  pid_t pid;
  int in, out;
  long last_id;
  double spawned_at, deadline;
} Server;

double now_ms(void);
void sleep_ms(double ms);

void server_spawn(Server *server, Subject *subject, const Plan *plan);
/* Closes its stdin, waits for its end and for that of every process it started. `exit_ms` stays as it is when it has to
   be killed. */
void server_stop(Server *server, double *exit_ms);
/* Gives up at `server->deadline` and notes why. */
bool server_write(Server *server, const char *text, size_t length);
/* Writes as much as goes without waiting, as write(2) does; a remote server takes whole messages only, or fails. */
ssize_t server_offer(Server *server, const char *text, size_t length);
/* Next complete line that is in, or NULL; stays valid until the next `server_fill`. */
char *server_line(Server *server, size_t *length);
/* 1: read something, 0: nothing there, -1: end or error. */
int server_fill(Server *server);
/* Notes a failure and answers false. */
bool subject_fail(Subject *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- http.c ---- */

bool subject_is_http(const Subject *subject);
/* As `server_spawn`, `server_stop`, `server_write`, `server_fill` and `server_line`, which call them. There is no process:
   `server->pid` is 0. */
void http_open(Server *server, Subject *subject);
void http_close(Server *server);
bool http_write(Server *server, const char *text, size_t length);
int http_fill(Server *server);
char *http_line(size_t *length);

/* ---- messages.c ---- */

/* The request of one call: fixed text around the id. `text` has room for the longest one. */
typedef struct {
  char *text, *body;
  size_t body_length;
} Request;

/* initialize, initialized, tools/list; false when it failed. `first_answer_ms` counts from the spawn. */
bool server_handshake(Server *server, const Plan *plan, double *first_answer_ms);

void request_prepare(Request *request, const Plan *plan, size_t size);
/* Writes the request with this id to `request->text` and answers its length, newline included. */
size_t request_format(Request *request, const Plan *plan, long id);
void request_free(Request *request);

/* Skips what is not the answer to `id`; gives up at `server->deadline` and notes why. */
bool server_wait(Server *server, long id);
/* Id of a response; -1 for anything else, -2 for a request of the server's own. */
long response_id(const char *line, size_t length);
/* Remembers an answer for the comparison with the yardstick's. */
void subject_note_answer(Subject *subject, long id, const char *line, size_t length);

/* ---- process.c ---- */

typedef struct {
  pid_t pids[MAX_TREE];
  int count;
} ProcessTree;

/* The process and all its descendants; nothing of pid 0. */
void process_tree(pid_t root, ProcessTree *tree);
/* NAN of pid 0. */
double process_tree_cpu_ms(pid_t root);
/* A field of /proc/PID/status that is told in kB, in MiB: "VmRSS:", "VmHWM:", "RssAnon:". NAN when there is no process. */
double process_memory_mib(pid_t pid, const char *field);
/* The same, summed over the tree. */
double process_tree_memory_mib(pid_t root, const char *field);
bool process_is_running(pid_t pid);

/* ---- figures.c ---- */

/* Runs one round of the plan's figure on one subject and prints its samples. */
void figure_run(const Plan *plan, Subject *subject, int round);

#endif
