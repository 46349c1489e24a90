/* FANN: fann_train, which learns from one sample at a time, so that only works of batch 1 are timed. One thread.
 *
 * Usage: fann_cpu THREADS SECONDS REPEATS WIDTHS:BATCH...
 * FANN's neurons have a bias, which weft bench leaves out: a weight more for each neuron.
 */
#define _POSIX_C_SOURCE 199309L
#include <fann.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMostLayers = 64, kMostRepeats = 1000 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double run(struct fann *net, fann_type *input, fann_type *target, long steps) {
  const double start = now();
  for (long i = 0; i < steps; ++i) fann_train(net, input, target);
  return now() - start;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Between -1 and 1. */
static fann_type *numbers(unsigned count) {
  fann_type *list = malloc(count * sizeof *list);
  for (unsigned i = 0; i < count; ++i) list[i] = (fann_type)(2.0 * rand() / RAND_MAX - 1.0);
  return list;
}

static double time_steps(const unsigned *widths, unsigned layers, double seconds, int repeats) {
  struct fann *net = fann_create_standard_array(layers, widths);
  fann_set_activation_function_hidden(net, FANN_SIGMOID_SYMMETRIC); /* tanh */
  fann_set_activation_function_output(net, FANN_LINEAR);
  fann_set_train_error_function(net, FANN_ERRORFUNC_LINEAR); /* mean squared error as it is */
  fann_set_training_algorithm(net, FANN_TRAIN_INCREMENTAL);
  fann_set_learning_rate(net, 1e-4F);
  fann_type *input = numbers(widths[0]), *target = numbers(widths[layers - 1]);

  run(net, input, target, 1000);
  long steps = 1;
  double took;
  while ((took = run(net, input, target, steps)) < seconds / repeats / 8) steps *= 4;
  steps = (long)((double)steps * seconds / repeats / took + 0.5);
  if (steps < 1) steps = 1;
  double times[kMostRepeats];
  for (int i = 0; i < repeats; ++i) times[i] = run(net, input, target, steps) * 1e6 / (double)steps;
  qsort(times, (size_t)repeats, sizeof *times, ascending);
  free(input);
  free(target);
  fann_destroy(net);
  return repeats % 2 ? times[repeats / 2] : (times[repeats / 2 - 1] + times[repeats / 2]) / 2;
}

int main(int count, char **arguments) {
  if (count < 5) return 2;
  const double seconds = atof(arguments[2]);
  const int repeats = atoi(arguments[3]);
  if (repeats < 1 || repeats > kMostRepeats) return 2;
  for (int i = 4; i < count; ++i) {
    const char *batch = strchr(arguments[i], ':');
    if (batch == NULL || strcmp(batch, ":1") != 0) continue;
    unsigned widths[kMostLayers], layers = 0;
    char *at = arguments[i];
    do {
      widths[layers++] = (unsigned)strtoul(at, &at, 10);
    } while (*at++ == '-' && layers < kMostLayers);
    printf("{\"peer\": \"FANN\", \"version\": \"%s\", \"work\": \"%s\", \"us\": %.6f}\n", FANN_VERSION, arguments[i],
           time_steps(widths, layers, seconds, repeats));
    fflush(stdout);
  }
  return 0;
}
