/*
 * Reads a plan: one "key value" a line, the value being the rest of the line, so that nothing needs quoting.
 * Lines after a `subject` line (arg, env, directory, stderr, optional) belong to that subject. See driver.h.
 */
#define _GNU_SOURCE
#include "driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void refuse(const char *format, ...) {
  va_list values;
  va_start(values, format);
  fputs("driver: ", stderr);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
  exit(2);
}

static Figure figure_of(const char *name) {
  static const char *names[] = {"sequential", "pipelined", "start", "memory"};
  for (int i = 0; i < 4; i++) {
    if (!strcmp(name, names[i])) return (Figure)i;
  }
  refuse("unknown figure '%s'", name);
  return FIGURE_START;
}

static void add_argument(Subject *subject, const char *value) {
  for (int i = 0; i < MAX_ARGUMENTS; i++) {
    if (subject->arguments[i]) continue;
    subject->arguments[i] = strdup(value);
    return;
  }
  refuse("too many arguments for '%s'", subject->name);
}

/* The driver's own environment with one variable set. */
static void add_variable(Subject *subject, const char *assignment) {
  const char *equals = strchr(assignment, '=');
  if (!equals) refuse("not an assignment: '%s'", assignment);
  size_t name_length = (size_t)(equals - assignment) + 1, count = 0;
  while (subject->environment[count]) count++;
  char **changed = calloc(count + 2, sizeof *changed);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (strncmp(subject->environment[i], assignment, name_length)) changed[kept++] = subject->environment[i];
  }
  changed[kept] = strdup(assignment);
  subject->environment = changed;
}

static Subject *add_subject(Plan *plan, const char *name) {
  if (plan->subject_count == MAX_SUBJECTS) refuse("too many subjects");
  Subject *subject = &plan->subjects[plan->subject_count++];
  subject->name = strdup(name);
  subject->environment = environ;
  subject->directory = "/";
  subject->stderr_path = "/dev/null";
  return subject;
}

static bool read_subject_line(Subject *subject, const char *key, const char *value) {
  if (!subject) return false;
  if (!strcmp(key, "arg")) add_argument(subject, value);
  else if (!strcmp(key, "env")) add_variable(subject, value);
  else if (!strcmp(key, "directory")) subject->directory = strdup(value);
  else if (!strcmp(key, "stderr")) subject->stderr_path = strdup(value);
  else if (!strcmp(key, "optional")) subject->optional = true;
  else return false;
  return true;
}

static bool read_number(Plan *plan, const char *key, const char *value) {
  struct {
    const char *key;
    int *number;
  } numbers[] = {
      {"rounds", &plan->rounds},       {"calls", &plan->calls},         {"warmup", &plan->warmup},
      {"inflight", &plan->inflight},   {"pin", &plan->pin},             {"settle_ms", &plan->settle_ms},
      {"block_ms", &plan->block_ms},   {"timeout_ms", &plan->timeout_ms}, {"budget_ms", &plan->budget_ms},
      {"huge_calls", &plan->huge_calls},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (strcmp(key, numbers[i].key)) continue;
    *numbers[i].number = atoi(value);
    return true;
  }
  return false;
}

static void read_line(Plan *plan, Subject **subject, const char *key, const char *value) {
  if (!strcmp(key, "subject")) *subject = add_subject(plan, value);
  else if (read_subject_line(*subject, key, value)) return;
  else if (!strcmp(key, "figure")) plan->figure = figure_of(value);
  else if (!strcmp(key, "size")) plan->size = strtoul(value, NULL, 10);
  else if (!strcmp(key, "payload")) plan->mixed = !strcmp(value, "mixed");
  else if (!strcmp(key, "stdio")) plan->socket = !strcmp(value, "socket");
  else if (!strcmp(key, "tool")) plan->tool = strdup(value);
  else if (!strcmp(key, "argument")) plan->argument = strdup(value);
  else if (!strcmp(key, "protocol")) plan->protocol = strdup(value);
  else if (!read_number(plan, key, value)) refuse("unknown line '%s %s'", key, value);
}

void plan_read(Plan *plan, const char *path) {
  *plan = (Plan){.rounds = 1, .calls = 1, .inflight = 64, .size = 200, .pin = -1, .settle_ms = 100,
                 .timeout_ms = 20000, .block_ms = 5000, .budget_ms = 60000, .huge_calls = 2, .tool = "echo",
                 .argument = "message", .protocol = "2025-06-18"};
  FILE *file = fopen(path, "r");
  if (!file) refuse("cannot read the plan '%s'", path);
  char *line = NULL;
  size_t capacity = 0;
  Subject *subject = NULL;
  for (ssize_t length; (length = getline(&line, &capacity, file)) > 0;) {
    if (line[length - 1] == '\n') line[--length] = 0;
    if (length == 0) continue;
    char *value = line + strcspn(line, " ");
    if (*value) *value++ = 0;
    read_line(plan, &subject, line, value);
  }
  free(line);
  fclose(file);
  for (int i = 0; i < plan->subject_count; i++) {
    if (!plan->subjects[i].arguments[0]) refuse("subject '%s' has no command", plan->subjects[i].name);
  }
  if (plan->subject_count == 0) refuse("the plan names no subject");
}
