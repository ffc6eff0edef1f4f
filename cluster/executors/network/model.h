/* A trained model as a file: what network it is of, what it was trained for, and its parameters.
 *
 * A head with a version, an order mark, the size and a sum over all that follows, then the
 * parameters as 4-byte numbers, then a text that says how it was made. Every number is looked at
 * when it is read: a file that was cut, changed, made for other inputs or holds what is not finite
 * is refused.
 */
#ifndef BR_LEARN_MODEL_H
#define BR_LEARN_MODEL_H

#include <stdio.h>

#include "cluster/executors/network/network.h"

#define BR_MODEL_VERSION 1u
/* No trained network has weights beyond this. */
#define BR_MODEL_LARGEST 1e4f

struct br_model {
    struct br_network network;
    uint32_t executors;   /* it was trained on */
    uint64_t seed;        /* of its training */
    uint64_t iterations;  /* of its training */
    br_weight *parameter; /* owned */
    char *made_by;        /* the command that makes it again; owned */
};

/* Space for the parameters, all 0. BR_SYSTEM (memory), BR_BAD_INPUT (shape). */
enum br_status br_model_init(struct br_model *model, const struct br_network_shape *shape,
                             struct br_diag *diag);
/* Releases what it owns; fine on a model that is all 0. */
void br_model_finish(struct br_model *model);

/* Reads one from memory. BR_BAD_INPUT with what is wrong; the model is all 0 then. */
enum br_status br_model_read(const void *bytes, size_t size, struct br_model *model,
                             struct br_diag *diag);
/* Reads a model from a file. */
enum br_status br_model_open(const char *path, struct br_model *model, struct br_diag *diag);
/* Writes one; equal models give equal bytes. BR_SYSTEM: it could not be written. */
enum br_status br_model_write(const struct br_model *model, FILE *file, struct br_diag *diag);

#endif
