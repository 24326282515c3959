/*
 * driver PLAN: runs the plan's rounds, every subject once a round and each round in another order, and ends with one
 * summary line a subject. Linux only. See driver.h.
 */
#define _GNU_SOURCE
#include "driver.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

enum { GIVE_UP_AFTER = 3 };

static void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set)) perror("driver: cannot pin");
}

static bool takes_part(const Plan *plan, const Subject *subject) {
  if (subject->failures >= GIVE_UP_AFTER) return false;
  return !subject->optional || (subject->failures == 0 && subject->spent_ms < plan->budget_ms);
}

/* Compares what both answered in this round. */
static void compare_answers(const Subject *yardstick, Subject *subject) {
  size_t common = yardstick->answer_capacity < subject->answer_capacity ? yardstick->answer_capacity
                                                                        : subject->answer_capacity;
  for (size_t i = 0; i < common; i++) {
    if (!yardstick->answers[i] || !subject->answers[i]) continue;
    subject->compared++;
    if (yardstick->answers[i] != subject->answers[i]) subject->changed++;
  }
}

static void run_round(Plan *plan, int round) {
  for (int i = 0; i < plan->subject_count; i++) {
    Subject *subject = &plan->subjects[(i + round) % plan->subject_count];
    if (subject->answers) memset(subject->answers, 0, subject->answer_capacity * sizeof *subject->answers);
    if (!takes_part(plan, subject)) continue;
    double began = now_ms();
    figure_run(plan, subject, round);
    subject->spent_ms += now_ms() - began;
  }
  for (int i = 1; i < plan->subject_count; i++) compare_answers(&plan->subjects[0], &plan->subjects[i]);
}

static void print_summary(const Subject *subject) {
  char reason[sizeof subject->reason];
  size_t length = strlen(subject->reason);
  for (size_t i = 0; i <= length; i++) {
    char c = subject->reason[i];
    reason[i] = c == '"' || c == '\\' || (c > 0 && c < ' ') ? '\'' : c;
  }
  printf("{\"subject\":\"%s\",\"summary\":{\"calls\":%ld,\"failures\":%d,\"reason\":\"%s\",\"compared\":%ld,"
         "\"changed\":%ld,\"leaked\":%d,\"stubborn\":%d,\"badExits\":%d,\"lastExit\":%d}}\n",
         subject->name, subject->calls, subject->failures, reason, subject->compared, subject->changed,
         subject->leaked, subject->stubborn, subject->bad_exits, subject->last_exit);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fputs("usage: driver PLAN\n", stderr);
    return 2;
  }
  static Plan plan;
  plan_read(&plan, argv[1]);
  signal(SIGPIPE, SIG_IGN);
  /* Orphans of a subject come to us: a leaked process is seen and ended. */
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (plan.pin >= 0) pin_to(plan.pin);
  for (int round = 0; round < plan.rounds; round++) run_round(&plan, round);
  for (int i = 0; i < plan.subject_count; i++) print_summary(&plan.subjects[i]);
  return 0;
}
