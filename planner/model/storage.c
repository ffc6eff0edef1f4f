#include "planner/model/storage.h"

#include "base/collections/memory.h"

void br_storage_destroy(struct br_storage *storage)
{
    if (!storage)
        return;
    br_free(storage->output);
    br_free(storage->given);
    br_free(storage->given_first);
    br_free(storage->stage_first);
    br_free(storage->edge_first);
    br_free(storage->reads);
    br_free(storage->output_first);
    br_free(storage->readers);
    br_free(storage);
}
