/* Memory and CPU time of processes, read from /proc (Linux). See driver.h. */
#define _GNU_SOURCE
#include "driver.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PROCESSES = 8192 };

typedef struct {
  pid_t pid, parent;
} Process;

/* Reads a small file of /proc whole; false when it is gone. */
static bool read_proc(pid_t pid, const char *file, char *text, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t got = read(fd, text, size - 1);
  close(fd);
  if (got <= 0) return false;
  text[got] = 0;
  return true;
}

/* State and parent of a process; false when it is gone or a zombie. */
static bool read_parent(pid_t pid, pid_t *parent) {
  char text[1024], state;
  if (!read_proc(pid, "stat", text, sizeof text)) return false;
  char *after_name = strrchr(text, ')');
  if (!after_name || sscanf(after_name + 2, "%c %d", &state, parent) != 2) return false;
  return state != 'Z' && state != 'X';
}

bool process_is_running(pid_t pid) {
  pid_t parent;
  return read_parent(pid, &parent);
}

static int list_processes(Process *processes) {
  int count = 0;
  DIR *directory = opendir("/proc");
  if (!directory) return 0;
  for (struct dirent *entry; (entry = readdir(directory)) && count < MAX_PROCESSES;) {
    pid_t pid = atoi(entry->d_name);
    if (pid > 0 && read_parent(pid, &processes[count].parent)) processes[count++].pid = pid;
  }
  closedir(directory);
  return count;
}

void process_tree(pid_t root, ProcessTree *tree) {
  static Process processes[MAX_PROCESSES];
  int count = list_processes(processes);
  tree->pids[0] = root;
  tree->count = root > 0;
  for (int i = 0; i < tree->count; i++) {
    for (int j = 0; j < count && tree->count < MAX_TREE; j++) {
      if (processes[j].parent == tree->pids[i]) tree->pids[tree->count++] = processes[j].pid;
    }
  }
}

static double cpu_ms(pid_t pid) {
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time)) return 0;
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

double process_tree_cpu_ms(pid_t root) {
  ProcessTree tree;
  process_tree(root, &tree);
  double sum = tree.count > 0 ? 0 : NAN;
  for (int i = 0; i < tree.count; i++) sum += cpu_ms(tree.pids[i]);
  return sum;
}

double process_memory_mib(pid_t pid, const char *field) {
  char text[8192];
  if (!read_proc(pid, "status", text, sizeof text)) return NAN;
  char *found = strstr(text, field);
  return found ? atof(found + strlen(field)) / 1024 : NAN;
}

double process_tree_memory_mib(pid_t root, const char *field) {
  ProcessTree tree;
  process_tree(root, &tree);
  double sum = process_memory_mib(root, field);
  for (int i = 1; i < tree.count; i++) {
    double more = process_memory_mib(tree.pids[i], field);
    if (!isnan(more)) sum += more;
  }
  return sum;
}
