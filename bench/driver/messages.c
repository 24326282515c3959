/* What is said to a server and what is made of its answers: handshake, requests, ids, hashes. See driver.h. */
#define _GNU_SOURCE
#include "driver.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long response_id(const char *line, size_t length) {
  static const char key[] = "\"id\":";
  size_t head = length < 160 ? length : 160, tail = length < 64 ? length : 64;
  const char *found = memmem(line, head, key, sizeof key - 1);
  /* Servers built on the SDK write the id last. */
  if (!found) found = memmem(line + length - tail, tail, key, sizeof key - 1);
  if (!found) return -1;
  if (memmem(line, length < 200 ? length : 200, "\"method\":", 9)) return -2;
  return strtol(found + sizeof key - 1, NULL, 10);
}

/* Any 64-bit mixing will do: the answers come from the same server. */
static uint64_t hash(const char *bytes, size_t length) {
  uint64_t value = 1469598103934665603ull;
  for (; length >= 8; bytes += 8, length -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    value = (value ^ word) * 0x9E3779B97F4A7C15ull;
    value ^= value >> 32;
  }
  for (; length > 0; bytes++, length--) value = (value ^ (uint8_t)*bytes) * 0x100000001b3ull;
  return value ? value : 1;
}

void subject_note_answer(Subject *subject, long id, const char *line, size_t length) {
  size_t index = (size_t)id;
  if (index >= subject->answer_capacity) {
    size_t capacity = subject->answer_capacity ? subject->answer_capacity : 4096;
    while (capacity <= index) capacity *= 2;
    subject->answers = realloc(subject->answers, capacity * sizeof *subject->answers);
    memset(subject->answers + subject->answer_capacity, 0,
           (capacity - subject->answer_capacity) * sizeof *subject->answers);
    subject->answer_capacity = capacity;
  }
  subject->answers[index] = hash(line, length);
}

/* Answers a request of the server's own with an empty result, so that it does not wait for us. */
static bool answer_server(Server *server, const char *line, size_t length) {
  const char *id = memmem(line, length, "\"id\":", 5);
  if (!id) return true;
  id += 5;
  char answer[256];
  int size = snprintf(answer, sizeof answer, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{}}\n",
                      (int)strcspn(id, ",}"), id);
  return server_write(server, answer, (size_t)size);
}

bool server_wait(Server *server, long id) {
  for (;;) {
    size_t length;
    for (char *line; (line = server_line(server, &length));) {
      long found = response_id(line, length);
      if (found == id) {
        subject_note_answer(server->subject, id, line, length);
        return true;
      }
      if (found == -2 && !answer_server(server, line, length)) return false;
    }
    int got = server_fill(server);
    if (got > 0) continue;
    if (got < 0) return subject_fail(server->subject, "closed its output");
    if (now_ms() > server->deadline) return subject_fail(server->subject, "no answer to request %ld in time", id);
    struct pollfd readable = {server->out, POLLIN, 0};
    poll(&readable, 1, 100);
  }
}

bool server_handshake(Server *server, const Plan *plan, double *first_answer_ms) {
  static const char format[] =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\","
      "\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}\n";
  static const char initialized[] =
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
      "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n";
  char initialize[sizeof format + 64];
  size_t length = (size_t)snprintf(initialize, sizeof initialize, format, plan->protocol);
  server->deadline = server->spawned_at + plan->timeout_ms;
  if (!server_write(server, initialize, length) || !server_wait(server, 1)) return false;
  if (first_answer_ms) *first_answer_ms = now_ms() - server->spawned_at;
  return server_write(server, initialized, sizeof initialized - 1) && server_wait(server, 2);
}

/* ---- requests ---- */

void request_prepare(Request *request, const Plan *plan, size_t size) {
  static const char ascii[] = "The quick brown fox jumps over the lazy dog 0123456789, ";
  static const char mixed[] =
      "caf\xc3\xa9 \\\"q\\\" line\\n \xe2\x82\xac snow \xe2\x98\x83 C:\\\\tmp\\t {\\\"k\\\":[1,2]} "
      "\xf0\x9f\x98\x80 plain text, ";
  const char *sample = plan->mixed ? mixed : ascii;
  size_t sample_length = strlen(sample), argument_length = strlen(plan->argument);
  char *body = request->body = malloc(size + argument_length + 16);
  request->text = malloc(size + argument_length + strlen(plan->tool) + 256);
  if (!body || !request->text) {
    perror("driver: out of memory");
    exit(1);
  }
  size_t at = (size_t)sprintf(body, "\"%s\":\"", plan->argument), left = size;
  for (; left >= sample_length; left -= sample_length, at += sample_length) memcpy(body + at, sample, sample_length);
  memset(body + at, 'x', left);
  at += left;
  memcpy(body + at, "\"}}}\n", 5);
  request->body_length = at + 5;
}

size_t request_format(Request *request, const Plan *plan, long id) {
  int head = sprintf(request->text,
                     "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
                     "\"arguments\":{",
                     id, plan->tool);
  memcpy(request->text + head, request->body, request->body_length);
  return (size_t)head + request->body_length;
}

void request_free(Request *request) {
  free(request->text);
  free(request->body);
  *request = (Request){0};
}
