/* peer: what the peers in C and C++ share: the work, its numbers, and the answers to bench/peers/run.
 *
 * A peer is started as `PROGRAM THREADS SECONDS WIDTHS:BATCH FILE`. It says its name and version, then answers each
 * line of its input: check STEPS RATE   makes so many steps and prints the loss before and after them time prints the
 * microseconds of a step, those of steps that take about SECONDS together FILE holds float32 numbers: a weight [out,
 * in] for each layer, inputs [batch, in], targets [batch, out].
 */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMostWidths = 256, kWarmUpSteps = 20 };

struct work {
  int threads;
  double seconds;
  long widths[kMostWidths];
  int count; /* of the widths */
  long batch;
  float *weights[kMostWidths], *inputs, *targets;
};

struct peer {
  void (*run)(void* self, long steps, double rate);
  void (*check)(void* self, long steps, double rate); /* as run, where that is not quite the work */
  double (*loss)(void* self);                         /* the mean over all outputs of the batch */
  void* self;
};

static int work_numbers(FILE* file, float** to, long count) {
  *to = (float*)malloc((size_t)count * sizeof **to);
  return *to != NULL && fread(*to, sizeof **to, (size_t)count, file) == (size_t)count;
}

/* Whether the command line and the file are what they should be; says what is wrong. The numbers are never freed. */
static int work_open(struct work* work, int count, char** arguments) {
  if (count != 5) {
    fprintf(stderr, "usage: %s THREADS SECONDS WIDTHS:BATCH FILE\n", arguments[0]);
    return 0;
  }
  work->threads = atoi(arguments[1]);
  work->seconds = atof(arguments[2]);
  work->count = 0;
  char* at = arguments[3];
  do work->widths[work->count++] = strtol(at, &at, 10);
  while (*at++ == '-' && work->count < kMostWidths);
  work->batch = strtol(at, NULL, 10);
  FILE* file = fopen(arguments[4], "rb");
  int whole = file != NULL;
  for (int i = 0; whole && i + 1 < work->count; ++i)
    whole = work_numbers(file, &work->weights[i], work->widths[i] * work->widths[i + 1]);
  whole = whole && work_numbers(file, &work->inputs, work->batch * work->widths[0]) &&
          work_numbers(file, &work->targets, work->batch * work->widths[work->count - 1]);
  if (file != NULL) fclose(file);
  if (!whole)
    fprintf(stderr, "%s: %s: cannot be read as the numbers of %s\n", arguments[0], arguments[4], arguments[3]);
  return whole;
}

static double peer_seconds(const struct peer* peer, long steps) {
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  peer->run(peer->self, steps, 1e-4); /* as in weft bench: the weights stay about as they are */
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

/* How many steps take about so many seconds. */
static long peer_steps(const struct peer* peer, double seconds) {
  peer->run(peer->self, kWarmUpSteps, 1e-4);
  long steps = 1;
  double took;
  while ((took = peer_seconds(peer, steps)) < seconds / 8) steps *= 4;
  steps = (long)((double)steps * seconds / took + 0.5);
  return steps < 1 ? 1 : steps;
}

/* Until the end of the input. */
static int peer_answer(const struct peer* peer, const struct work* work, const char* name, const char* version) {
  printf("{\"peer\": \"%s\", \"version\": \"%s\"}\n", name, version);
  fflush(stdout);
  char line[256];
  long steps = 0;
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (strncmp(line, "check ", 6) == 0) {
      char* at;
      const long count = strtol(line + 6, &at, 10);
      const double rate = atof(at), before = peer->loss(peer->self);
      peer->check(peer->self, count, rate);
      printf("[%.9g, %.9g]\n", before, peer->loss(peer->self));
    } else {
      if (steps == 0) steps = peer_steps(peer, work->seconds);
      printf("%.9g\n", peer_seconds(peer, steps) * 1e6 / (double)steps);
    }
    fflush(stdout);
  }
  return 0;
}
