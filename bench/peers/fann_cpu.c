/* FANN: fann_train, which learns from one sample at a time, so that it can do works of batch 1 only. One thread.
 *
 * FANN's neurons have a bias each, a weight more than the other libraries'. It starts at 0, and for `check` it is set
 * back after each step. peer.h says how this is started and what it answers.
 */
#define _POSIX_C_SOURCE 199309L
#include <fann.h>

#include "peer.h"

struct net {
  struct fann* fann;
  const struct work* work;
};

static void clear_biases(struct fann* fann) {
  for (struct fann_layer* layer = fann->first_layer + 1; layer != fann->last_layer; ++layer)
    for (struct fann_neuron* neuron = layer->first_neuron; neuron != layer->last_neuron; ++neuron)
      if (neuron->last_con > neuron->first_con) fann->weights[neuron->last_con - 1] = 0;
}

/* fann_train goes down the slope of (y - t)^2 / 2 for each output. */
static void set_rate(const struct net* net, double rate) {
  fann_set_learning_rate(net->fann, (float)(2.0 * rate / (double)net->work->widths[net->work->count - 1]));
}

static void run(void* self, long steps, double rate) {
  const struct net* net = self;
  set_rate(net, rate);
  for (long i = 0; i < steps; ++i) fann_train(net->fann, net->work->inputs, net->work->targets);
}

static void run_without_biases(void* self, long steps, double rate) {
  for (long i = 0; i < steps; ++i) {
    run(self, 1, rate);
    clear_biases(((const struct net*)self)->fann);
  }
}

static double loss(void* self) {
  const struct net* net = self;
  const fann_type* outputs = fann_run(net->fann, net->work->inputs);
  const long count = net->work->widths[net->work->count - 1];
  double sum = 0.0;
  for (long i = 0; i < count; ++i) {
    const double gap = (double)outputs[i] - (double)net->work->targets[i];
    sum += gap * gap;
  }
  return sum / (double)count;
}

/* A neuron's weights lie together, the bias last. */
static void set_weights(struct fann* fann, const struct work* work) {
  int i = 0;
  for (struct fann_layer* layer = fann->first_layer + 1; layer != fann->last_layer; ++layer, ++i) {
    const float* from = work->weights[i];
    for (struct fann_neuron* neuron = layer->first_neuron; neuron != layer->last_neuron; ++neuron) {
      if (neuron->last_con == neuron->first_con) continue; /* the layer's bias neuron */
      for (long j = 0; j < work->widths[i]; ++j) fann->weights[neuron->first_con + (unsigned)j] = *from++;
    }
  }
  clear_biases(fann);
}

int main(int count, char** arguments) {
  static struct work work;
  if (!work_open(&work, count, arguments)) return 2;
  if (work.batch != 1) {
    fprintf(stderr, "%s: %s: wanted a batch of 1\n", arguments[0], arguments[3]);
    return 2;
  }
  unsigned widths[kMostWidths];
  for (int i = 0; i < work.count; ++i) widths[i] = (unsigned)work.widths[i];
  struct net net = {fann_create_standard_array((unsigned)work.count, widths), &work};
  fann_set_activation_function_hidden(net.fann, FANN_SIGMOID_SYMMETRIC); /* tanh of the steepness times the sum */
  fann_set_activation_function_output(net.fann, FANN_LINEAR);
  fann_set_activation_steepness_hidden(net.fann, 1);
  fann_set_activation_steepness_output(net.fann, 1);
  fann_set_train_error_function(net.fann, FANN_ERRORFUNC_LINEAR); /* the gap as it is */
  fann_set_training_algorithm(net.fann, FANN_TRAIN_INCREMENTAL);
  set_weights(net.fann, &work);
  const struct peer peer = {run, run_without_biases, loss, &net};
  return peer_answer(&peer, &work, "FANN", PEER_VERSION);
}
