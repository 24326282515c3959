/*
 * What is measured. Each figure runs one round on one subject, in a fresh process, and prints one JSON line with its
 * samples: {"round":0,"subject":"x","values":{"p50_us":12.3}}. Nothing is printed for a round that failed.
 * See driver.h.
 */
#define _GNU_SOURCE
#include "driver.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MIN_CALLS = 2, MEMORY_STEPS = 2000, MEMORY_LARGE_CALLS = 128 };
/* First ids of the parts of the memory figure: the same id is the same request for a slow subject too. */
enum { LARGE_IDS = 10000, HUGE_IDS = 20000 };
static const size_t SMALL = 200, LARGE = 1 << 20, HUGE_SIZE = 20 << 20;

typedef struct {
  const char *name;
  double value;
} Value;

static void print_values(const Subject *subject, int round, const Value *values, int count) {
  printf("{\"round\":%d,\"subject\":\"%s\",\"values\":{", round, subject->name);
  bool first = true;
  for (int i = 0; i < count; i++) {
    if (isnan(values[i].value)) continue;
    printf("%s\"%s\":%.6g", first ? "" : ",", values[i].name, values[i].value);
    first = false;
  }
  puts("}}");
  fflush(stdout);
}

/* One call after the other; times go to `times` (may be NULL). Stops early after `block_ms`. */
static bool call_in_turn(Server *server, const Plan *plan, Request *request, int calls, Samples *times) {
  double began = now_ms();
  for (int i = 0; i < calls; i++) {
    long id = ++server->last_id;
    size_t length = request_format(request, plan, id);
    double sent = now_ms();
    server->deadline = sent + plan->timeout_ms;
    server->subject->calls++;
    if (!server_write(server, request->text, length) || !server_wait(server, id)) return false;
    double answered = now_ms();
    if (times) samples_add(times, (answered - sent) * 1e3);
    if (i + 1 >= MIN_CALLS && answered - began > plan->block_ms) break;
  }
  return true;
}

/* Takes in the answers that are there; false when the server closed its output. */
static bool take_answers(Server *server, long first_id, int *answered, bool *progress) {
  int got = server_fill(server);
  if (got < 0) return subject_fail(server->subject, "closed its output after %d answers", *answered);
  *progress = got > 0;
  size_t length;
  for (char *line; (line = server_line(server, &length));) {
    long id = response_id(line, length);
    if (id < first_id || id > server->last_id) continue;
    subject_note_answer(server->subject, id, line, length);
    (*answered)++;
  }
  return true;
}

/* Keeps `inflight` calls open until `calls` were made or `block_ms` is over. Returns calls per second, NAN if it failed. */
static double call_pipelined(Server *server, const Plan *plan, Request *request, int calls) {
  double began = now_ms();
  long first_id = server->last_id + 1;
  int sent = 0, answered = 0;
  size_t length = 0, written = 0;
  bool enough = false;
  server->deadline = began + plan->block_ms + plan->timeout_ms;
  while (!enough || answered < sent || written < length) {
    bool progress = false;
    for (;;) {
      if (written == length) {
        if (sent == calls || (sent >= plan->inflight && now_ms() - began > plan->block_ms)) enough = true;
        if (enough || sent - answered >= plan->inflight) break;
        length = request_format(request, plan, ++server->last_id);
        written = 0;
        sent++;
        server->subject->calls++;
      }
      ssize_t wrote = server_offer(server, request->text + written, length - written);
      if (wrote < 0 && errno != EAGAIN && errno != EINTR) {
        subject_fail(server->subject, "cannot write to it: %s", strerror(errno));
        return NAN;
      }
      if (wrote <= 0) break;
      written += (size_t)wrote;
    }
    if (!take_answers(server, first_id, &answered, &progress)) return NAN;
    if (progress) continue;
    if (now_ms() > server->deadline) {
      subject_fail(server->subject, "answered %d of %d calls in time", answered, sent);
      return NAN;
    }
    struct pollfd ready[2] = {{server->out, POLLIN, 0}, {server->in, written < length ? POLLOUT : 0, 0}};
    poll(ready, 2, 100);
  }
  double rate = answered / ((now_ms() - began) / 1e3);
  for (long id = first_id; id <= server->last_id; id++) {
    if ((size_t)id >= server->subject->answer_capacity || !server->subject->answers[id]) {
      subject_fail(server->subject, "request %ld was never answered", id);
      return NAN;
    }
  }
  return rate;
}

static bool begin(Server *server, const Plan *plan, Subject *subject) {
  server_spawn(server, subject, plan);
  bool ready = server_handshake(server, plan, NULL);
  if (ready) sleep_ms(plan->settle_ms);
  return ready;
}

static void run_sequential(const Plan *plan, Subject *subject, int round) {
  Server server;
  Request request;
  Samples times = {0};
  double exit_ms = NAN, cpu_us = NAN;
  request_prepare(&request, plan, plan->size);
  bool ok = begin(&server, plan, subject) && call_in_turn(&server, plan, &request, plan->warmup, NULL);
  if (ok) {
    double cpu_before = process_tree_cpu_ms(server.pid);
    ok = call_in_turn(&server, plan, &request, plan->calls, &times);
    /* Work that was put off is work too. */
    sleep_ms(plan->settle_ms);
    cpu_us = (process_tree_cpu_ms(server.pid) - cpu_before) * 1e3 / (double)times.count;
  }
  server_stop(&server, &exit_ms);
  if (ok) {
    Value values[] = {{"p50_us", samples_percentile(&times, 0.5)}, {"p99_us", samples_percentile(&times, 0.99)},
                      {"mean_us", samples_mean(&times)},           {"cpu_us", cpu_us},
                      {"exit_ms", exit_ms},                        {"calls", (double)times.count}};
    print_values(subject, round, values, sizeof values / sizeof *values);
  }
  samples_free(&times);
  request_free(&request);
}

static void run_pipelined(const Plan *plan, Subject *subject, int round) {
  Server server;
  Request request;
  double exit_ms = NAN, rate = NAN, cpu_us = NAN;
  request_prepare(&request, plan, plan->size);
  if (begin(&server, plan, subject) && !isnan(call_pipelined(&server, plan, &request, plan->warmup))) {
    /* What the warm-up left to do must not be done within the burst. */
    sleep_ms(plan->settle_ms);
    double cpu_before = process_tree_cpu_ms(server.pid);
    long calls_before = subject->calls;
    rate = call_pipelined(&server, plan, &request, plan->calls);
    sleep_ms(plan->settle_ms);
    cpu_us = (process_tree_cpu_ms(server.pid) - cpu_before) * 1e3 / (double)(subject->calls - calls_before);
  }
  server_stop(&server, &exit_ms);
  if (!isnan(rate)) {
    Value values[] = {{"calls_per_s", rate}, {"cpu_us", cpu_us}, {"exit_ms", exit_ms}};
    print_values(subject, round, values, sizeof values / sizeof *values);
  }
  request_free(&request);
}

/* One start; the plan's rounds are its repetitions. */
static void run_start(const Plan *plan, Subject *subject, int round) {
  Server server;
  double first_answer_ms = NAN, exit_ms = NAN;
  server_spawn(&server, subject, plan);
  bool ok = server_handshake(&server, plan, &first_answer_ms);
  server_stop(&server, &exit_ms);
  if (!ok) return;
  Value values[] = {{"start_ms", first_answer_ms}, {"exit_ms", exit_ms}};
  print_values(subject, round, values, sizeof values / sizeof *values);
}

/* Of the subject's own process and of its tree, before and after small calls, and its peak after large messages. */
static void run_memory(const Plan *plan, Subject *subject, int round) {
  Server server;
  Request request;
  double before = NAN, before_own = NAN, after = NAN, after_own = NAN, peak = NAN;
  double tree_before = NAN, tree_after = NAN, tree_peak = NAN;
  bool ok = begin(&server, plan, subject);
  if (ok) {
    before = process_memory_mib(server.pid, "VmRSS:");
    before_own = process_memory_mib(server.pid, "RssAnon:");
    tree_before = process_tree_memory_mib(server.pid, "VmRSS:");
    request_prepare(&request, plan, SMALL);
    ok = call_in_turn(&server, plan, &request, MEMORY_STEPS, NULL);
    request_free(&request);
    sleep_ms(plan->settle_ms);
    after = process_memory_mib(server.pid, "VmRSS:");
    after_own = process_memory_mib(server.pid, "RssAnon:");
    tree_after = process_tree_memory_mib(server.pid, "VmRSS:");
  }
  if (ok) {
    request_prepare(&request, plan, LARGE);
    server.last_id = LARGE_IDS;
    ok = !isnan(call_pipelined(&server, plan, &request, MEMORY_LARGE_CALLS));
    request_free(&request);
  }
  if (ok && plan->huge_calls > 0) {
    request_prepare(&request, plan, HUGE_SIZE);
    server.last_id = HUGE_IDS;
    ok = call_in_turn(&server, plan, &request, plan->huge_calls, NULL);
    request_free(&request);
  }
  if (ok) {
    peak = process_memory_mib(server.pid, "VmHWM:");
    tree_peak = process_tree_memory_mib(server.pid, "VmHWM:");
  }
  server_stop(&server, NULL);
  Value values[] = {{"rss_before_mib", before},      {"rss_after_mib", after},          {"rss_peak_mib", peak},
                    {"anonymous_before_mib", before_own}, {"anonymous_after_mib", after_own},
                    {"tree_before_mib", tree_before},     {"tree_after_mib", tree_after},
                    {"tree_peak_mib", tree_peak}};
  print_values(subject, round, values, sizeof values / sizeof *values);
}

void figure_run(const Plan *plan, Subject *subject, int round) {
  switch (plan->figure) {
    case FIGURE_SEQUENTIAL: run_sequential(plan, subject, round); break;
    case FIGURE_PIPELINED: run_pipelined(plan, subject, round); break;
    case FIGURE_START: run_start(plan, subject, round); break;
    case FIGURE_MEMORY: run_memory(plan, subject, round); break;
  }
}
