/* One running stdio MCP server as a host sees it: spawn, newline-delimited JSON in and out, stop. See driver.h. */
#define _GNU_SOURCE
#include "driver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READ_ROOM = 512 * 1024, STOP_MS = 5000, STOP_AGAIN_MS = 50, LEAK_MS = 300 };

/* What came in and is not yet taken. One for all: only one server runs at a time. */
static struct {
  char *bytes;
  size_t start, scanned, end, capacity;
} input;

double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

void sleep_ms(double ms) {
  struct timespec time = {(time_t)(ms / 1e3), (long)((ms - (double)(long)(ms / 1e3) * 1e3) * 1e6)};
  nanosleep(&time, NULL);
}

bool subject_fail(Subject *subject, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(subject->reason, sizeof subject->reason, format, values);
  va_end(values);
  subject->failures++;
  return false;
}

/* ---- life ---- */

static void open_channels(bool socket, int to_child[2], int from_child[2]) {
  int failed = 0;
  if (socket) {
    failed = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to_child) ||
             socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, from_child);
  } else {
    failed = pipe2(to_child, O_CLOEXEC) || pipe2(from_child, O_CLOEXEC);
  }
  if (failed) {
    perror("driver: cannot open a channel");
    exit(1);
  }
}

static void set_nonblocking(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void server_spawn(Server *server, Subject *subject, const Plan *plan) {
  if (subject_is_http(subject)) {
    http_open(server, subject);
    return;
  }
  int to_child[2], from_child[2];
  open_channels(plan->socket, to_child, from_child);
  int error_output = open(subject->stderr_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  *server = (Server){.subject = subject, .in = to_child[1], .out = from_child[0], .last_id = 2};
  input.start = input.scanned = input.end = 0;
  server->spawned_at = now_ms();
  /* vfork: copying the page tables of a driver that holds large messages would be counted as start-up. */
  pid_t pid = vfork();
  if (pid == 0) {
    dup2(to_child[0], 0);
    dup2(from_child[1], 1);
    if (error_output >= 0) dup2(error_output, 2);
    setpgid(0, 0);
    if (chdir(subject->directory)) _exit(126);
    execve(subject->arguments[0], subject->arguments, subject->environment);
    _exit(127);
  }
  server->pid = pid;
  close(to_child[0]);
  close(from_child[1]);
  if (error_output >= 0) close(error_output);
  set_nonblocking(server->in);
  set_nonblocking(server->out);
}

/* Drains its output until it has ended; false at the deadline. */
static bool wait_for_end(Server *server, int *status, double deadline) {
  static char sink[65536];
  bool open = true;
  while (now_ms() < deadline) {
    if (waitpid(server->pid, status, WNOHANG) == server->pid) return true;
    struct pollfd readable = {server->out, POLLIN, 0};
    if (!open) sleep_ms(0.2);
    else if (poll(&readable, 1, 1) > 0) {
      ssize_t got = read(server->out, sink, sizeof sink);
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) open = false;
    }
  }
  return false;
}

/* Processes of the tree that outlive their root by more than a moment are counted and ended. */
static void reap_leaks(Subject *subject, const ProcessTree *tree) {
  double deadline = now_ms() + LEAK_MS;
  for (int i = 1; i < tree->count; i++) {
    while (process_is_running(tree->pids[i]) && now_ms() < deadline) sleep_ms(1);
    if (!process_is_running(tree->pids[i])) continue;
    subject->leaked++;
    kill(tree->pids[i], SIGKILL);
  }
  while (waitpid(-1, NULL, WNOHANG) > 0) continue;
}

void server_stop(Server *server, double *exit_ms) {
  Subject *subject = server->subject;
  if (subject_is_http(subject)) {
    http_close(server);
    return;
  }
  ProcessTree tree;
  process_tree(server->pid, &tree);
  double closed_at = now_ms();
  close(server->in);
  int status = 0;
  if (wait_for_end(server, &status, closed_at + (subject->stubborn ? STOP_AGAIN_MS : STOP_MS))) {
    if (exit_ms) *exit_ms = now_ms() - closed_at;
    subject->last_exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (subject->last_exit) subject->bad_exits++;
  } else {
    subject->stubborn++;
    kill(-server->pid, SIGKILL);
    kill(server->pid, SIGKILL);
    waitpid(server->pid, &status, 0);
  }
  close(server->out);
  reap_leaks(subject, &tree);
}

/* ---- lines ---- */

static void make_room(void) {
  if (input.start == input.end) input.start = input.scanned = input.end = 0;
  if (input.capacity - input.end >= READ_ROOM) return;
  if (input.start > 0) {
    memmove(input.bytes, input.bytes + input.start, input.end - input.start);
    input.end -= input.start;
    input.scanned -= input.start;
    input.start = 0;
  }
  if (input.capacity - input.end >= READ_ROOM) return;
  size_t capacity = input.capacity ? input.capacity * 2 : 4 * READ_ROOM;
  input.bytes = realloc(input.bytes, capacity);
  if (!input.bytes) {
    perror("driver: out of memory");
    exit(1);
  }
  /* Touch the pages now, not while a call is timed. */
  memset(input.bytes + input.capacity, 1, capacity - input.capacity);
  input.capacity = capacity;
}

int server_fill(Server *server) {
  if (subject_is_http(server->subject)) return http_fill(server);
  make_room();
  ssize_t got = read(server->out, input.bytes + input.end, input.capacity - input.end);
  if (got > 0) {
    input.end += (size_t)got;
    return 1;
  }
  return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

char *server_line(Server *server, size_t *length) {
  if (subject_is_http(server->subject)) return http_line(length);
  if (input.scanned == input.end) return NULL;
  char *newline = memchr(input.bytes + input.scanned, '\n', input.end - input.scanned);
  if (!newline) {
    input.scanned = input.end;
    return NULL;
  }
  char *line = input.bytes + input.start;
  *length = (size_t)(newline - line);
  input.start = input.scanned = (size_t)(newline - input.bytes) + 1;
  return line;
}

ssize_t server_offer(Server *server, const char *text, size_t length) {
  if (!subject_is_http(server->subject)) return write(server->in, text, length);
  if (http_write(server, text, length)) return (ssize_t)length;
  errno = EPIPE;
  return -1;
}

bool server_write(Server *server, const char *text, size_t length) {
  if (subject_is_http(server->subject)) return http_write(server, text, length);
  while (length > 0) {
    ssize_t wrote = write(server->in, text, length);
    if (wrote > 0) {
      text += wrote;
      length -= (size_t)wrote;
      continue;
    }
    if (wrote < 0 && errno != EAGAIN && errno != EINTR) {
      return subject_fail(server->subject, "cannot write to it: %s", strerror(errno));
    }
    if (now_ms() > server->deadline) return subject_fail(server->subject, "took no input in time");
    /* Its output is drained meanwhile: a server may answer before it has read everything. */
    struct pollfd ready[2] = {{server->in, POLLOUT, 0}, {server->out, POLLIN, 0}};
    poll(ready, 2, 100);
    if (ready[1].revents && server_fill(server) < 0) return subject_fail(server->subject, "closed its output");
  }
  return true;
}
