#include "cluster/workload/allotments.h"

#include <stdlib.h>

#include "base/collections/grow.h"

bool br_allotments_add(struct br_allotments *allotments, const struct br_allotment *row)
{
    if (!br_grow(&allotments->row, allotments->rows, &allotments->room, sizeof *row))
        return false;
    allotments->row[allotments->rows++] = *row;
    return true;
}

void br_allotments_finish(struct br_allotments *allotments)
{
    free(allotments->row);
    *allotments = (struct br_allotments){0};
}
