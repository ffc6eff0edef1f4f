/* The file form of a model. */
#include "cluster/executors/network/model.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/index.h"
#include "base/text/text.h"

#define MAGIC "br-model"
#define ORDER_MARK UINT32_C(0x01020304)
enum { MADE_BY_MOST = 4096, SIZE_MOST = 1 << 24 };

struct head {
    char magic[8];
    uint32_t version, order_mark;
    uint64_t size, sum; /* the sum is of all that follows it */
    uint64_t seed, iterations;
    uint32_t form, hidden[2], embedded, node_features, job_features;
    uint32_t executors, parameters, made_by_length, without;
};
enum { SUMMED_FROM = offsetof(struct head, seed) };
_Static_assert(sizeof(struct head) % 8 == 0, "nothing fills the head");

enum br_status br_model_init(struct br_model *model, const struct br_network_shape *shape,
                             struct br_diag *diag)
{
    *model = (struct br_model){0};
    enum br_status status = br_network_init(&model->network, shape, diag);
    if (status)
        return status;
    model->parameter = calloc(model->network.parameters, sizeof *model->parameter);
    return model->parameter ? BR_OK : br_fail_memory(diag);
}

void br_model_finish(struct br_model *model)
{
    free(model->parameter);
    free(model->made_by);
    *model = (struct br_model){0};
}

/* ---- Reading ---- */

static enum br_status network_model_damaged(struct br_diag *diag, const char *what)
{
    return br_fail(diag, BR_BAD_INPUT, "make it again by 'bigrocks train'",
                   "the model is damaged: %s", what);
}

static enum br_status network_model_check_head(const struct head *head, const char *bytes,
                                               size_t size, struct br_diag *diag)
{
    if (size < sizeof head->magic || memcmp(bytes, MAGIC, sizeof head->magic) != 0)
        return br_fail(diag, BR_BAD_INPUT, "'bigrocks train' makes one", "this is no model");
    if (size < sizeof *head)
        return network_model_damaged(diag, "it is cut");
    if (head->order_mark != ORDER_MARK)
        return br_fail(diag, BR_BAD_INPUT, "make it on a machine like this one",
                       "the model is in another byte order");
    if (head->version != BR_MODEL_VERSION)
        return br_fail(diag, BR_BAD_INPUT, "train it again by this version of the program",
                       "the model is of version %" PRIu32 ", and this program reads version %u",
                       head->version, BR_MODEL_VERSION);
    if (head->size != size)
        return network_model_damaged(diag, size < head->size ? "it is cut"
                                                             : "its size is not what it says");
    if (head->sum != br_hash_words(head->version, bytes + SUMMED_FROM, size - SUMMED_FROM))
        return network_model_damaged(diag, "its sum does not fit it");
    if (head->form >= BR_NETWORK_FORMS || head->without > BR_WITHOUT_ALL || !head->executors ||
        head->made_by_length > MADE_BY_MOST ||
        head->node_features != br_network_node_features((enum br_network_form)head->form) ||
        head->job_features != br_network_job_features((enum br_network_form)head->form))
        return network_model_damaged(diag, "a number of its head is out of its range");
    return BR_OK;
}

static enum br_status read_body(const struct head *head, const char *bytes, struct br_model *model,
                                struct br_diag *diag)
{
    const struct br_network *network = &model->network;
    uint64_t numbers = (uint64_t)head->parameters * sizeof(float);
    uint32_t lacking = network->plan_parameters ? BR_PLAN_PARAMETERS - BR_PLAN_PARAMETERS_LEAST : 0;
    if (head->parameters > network->parameters ||
        head->parameters < network->parameters - lacking ||
        head->size != sizeof *head + numbers + head->made_by_length)
        return network_model_damaged(diag, "it has not as many parameters as its network");
    const char *at = bytes + sizeof *head;
    for (uint32_t k = 0; k < head->parameters; k++, at += sizeof(float)) {
        float number;
        memcpy(&number, at, sizeof number);
        if (!(fabsf(number) <= BR_MODEL_LARGEST))
            return network_model_damaged(diag, "a parameter is out of its range");
        model->parameter[k] = number;
    }
    assert(at == bytes + head->size - head->made_by_length);
    model->made_by = strndup(at, head->made_by_length);
    if (!model->made_by)
        return br_fail_memory(diag);
    if (strlen(model->made_by) != head->made_by_length || !br_text_is_plain(model->made_by))
        return network_model_damaged(diag, "its text is none");
    return BR_OK;
}

enum br_status br_model_read(const void *bytes, size_t size, struct br_model *model,
                             struct br_diag *diag)
{
    struct head head = {0};
    *model = (struct br_model){0};
    memcpy(&head, bytes, size < sizeof head ? size : sizeof head);
    enum br_status status = network_model_check_head(&head, bytes, size, diag);
    if (status)
        return status;
    const struct br_network_shape shape = {.form = (enum br_network_form)head.form,
                                           .node_features = head.node_features,
                                           .job_features = head.job_features,
                                           .hidden = {head.hidden[0], head.hidden[1]},
                                           .embedded = head.embedded,
                                           .without = head.without};
    status = br_model_init(model, &shape, diag);
    model->executors = head.executors;
    model->seed = head.seed;
    model->iterations = head.iterations;
    if (!status)
        status = read_body(&head, bytes, model, diag);
    if (status)
        br_model_finish(model);
    return status;
}

enum br_status br_model_open(const char *path, struct br_model *model, struct br_diag *diag)
{
    *model = (struct br_model){0};
    br_diag_file(diag, path);
    FILE *file = fopen(path, "rb");
    if (!file)
        return br_fail(diag, errno == ENOENT ? BR_BAD_INPUT : BR_SYSTEM,
                       "'bigrocks train' makes one", "the model cannot be opened: %s",
                       strerror(errno));
    char *bytes = malloc(SIZE_MOST);
    size_t size = bytes ? fread(bytes, 1, SIZE_MOST, file) : 0;
    enum br_status status = BR_OK;
    if (!bytes)
        status = br_fail_memory(diag);
    else if (ferror(file))
        status = br_fail(diag, BR_SYSTEM, NULL, "the model cannot be read");
    else
        status = br_model_read(bytes, size, model, diag);
    free(bytes);
    fclose(file);
    return status;
}

/* ---- Writing ---- */

enum br_status br_model_write(const struct br_model *model, FILE *file, struct br_diag *diag)
{
    const struct br_network *network = &model->network;
    const char *made_by = model->made_by ? model->made_by : "";
    size_t length = strnlen(made_by, MADE_BY_MOST);
    size_t numbers = network->parameters * sizeof(float);
    struct head head = {.version = BR_MODEL_VERSION,
                        .order_mark = ORDER_MARK,
                        .size = sizeof head + numbers + length,
                        .seed = model->seed,
                        .iterations = model->iterations,
                        .form = network->shape.form,
                        .hidden = {network->shape.hidden[0], network->shape.hidden[1]},
                        .embedded = network->shape.embedded,
                        .node_features = network->shape.node_features,
                        .job_features = network->shape.job_features,
                        .executors = model->executors,
                        .without = network->shape.without,
                        .parameters = network->parameters,
                        .made_by_length = (uint32_t)length};
    memcpy(head.magic, MAGIC, sizeof head.magic);
    char *bytes = malloc((size_t)head.size);
    if (!bytes)
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < network->parameters; k++) {
        float number = (float)model->parameter[k];
        memcpy(bytes + sizeof head + k * sizeof number, &number, sizeof number);
    }
    memcpy(bytes + sizeof head + numbers, made_by, length);
    memcpy(bytes, &head, sizeof head);
    head.sum = br_hash_words(head.version, bytes + SUMMED_FROM, (size_t)head.size - SUMMED_FROM);
    memcpy(bytes, &head, sizeof head);
    bool written = fwrite(bytes, (size_t)head.size, 1, file) == 1;
    free(bytes);
    return written
               ? BR_OK
               : br_fail(diag, BR_SYSTEM, NULL, "the model cannot be written: %s", strerror(errno));
}
