/* A growing list of numbers and what is asked of it. See driver.h. */
#include "driver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void samples_add(Samples *samples, double value) {
  if (samples->count == samples->capacity) {
    samples->capacity = samples->capacity ? samples->capacity * 2 : 1024;
    samples->values = realloc(samples->values, samples->capacity * sizeof *samples->values);
    if (!samples->values) {
      perror("driver: out of memory");
      exit(1);
    }
  }
  samples->values[samples->count++] = value;
}

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

double samples_percentile(Samples *samples, double fraction) {
  if (samples->count == 0) return NAN;
  qsort(samples->values, samples->count, sizeof *samples->values, compare);
  double rank = fraction * (double)(samples->count - 1);
  size_t below = (size_t)rank;
  double value = samples->values[below];
  if (below + 1 < samples->count) value += (rank - (double)below) * (samples->values[below + 1] - value);
  return value;
}

double samples_mean(const Samples *samples) {
  if (samples->count == 0) return NAN;
  double sum = 0;
  for (size_t i = 0; i < samples->count; i++) sum += samples->values[i];
  return sum / (double)samples->count;
}

void samples_free(Samples *samples) {
  free(samples->values);
  *samples = (Samples){0};
}
