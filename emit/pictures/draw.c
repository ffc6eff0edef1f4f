/* Numbers, names and colours of charts. */
#include "emit/pictures/draw.h"
#include "emit/pictures/picture.h"

#include <assert.h>
#include <inttypes.h>

void br_draw_fixed(FILE *out, int64_t value, int64_t unit, int digits)
{
    int64_t size = value < 0 ? -value : value;
    fprintf(out, "%s%" PRId64 ".%0*" PRId64, value < 0 ? "-" : "", size / unit, digits,
            size % unit);
}

int64_t br_draw_step(int64_t span_ns)
{
    static const int64_t factors[] = {1, 2, 5};
    for (int64_t power = 1;; power *= 10)
        for (int k = 0; k < 3; k++)
            if (span_ns / (factors[k] * power) <= 12)
                return factors[k] * power;
}

void br_draw_milli(FILE *out, uint64_t milli)
{
    uint64_t tenths = (milli + 50) / 100;
    if (tenths >= 100)
        tenths = (milli + 500) / 1000 * 10;
    fprintf(out, tenths % 10 ? "%" PRIu64 ".%" PRIu64 : "%" PRIu64, tenths / 10, tenths % 10);
}

void br_draw_row_name(const struct br_emit_input *input, const struct br_chart *chart,
                      const struct br_chart_row *row, char *name, size_t size)
{
    const struct br_dag *dag = input->dag;
    assert(chart->level != BR_CHART_STAGES || row->which < dag->stages + BR_SUBSETS);
    if (chart->level != BR_CHART_STAGES)
        br_cluster_machine_name(input->cluster, row->which, name, size);
    else if (row->which < dag->stages)
        snprintf(name, size, "%s", dag->stage[row->which].id);
    else
        snprintf(name, size, "other stages, %c", br_subset_style[row->which - dag->stages].letter);
}

bool br_draw_is_by_stage(const struct br_emit_input *input)
{
    bool used[BR_SUBSETS];
    if (input->colour != BR_COLOUR_CHOOSE)
        return input->colour == BR_COLOUR_STAGE;
    return !br_subsets_used(input->plan, used);
}

/* The first eight are also from Okabe and Ito, the dark ones lightened, so that black letters are
 * legible on all; then eight more hues, then tints of the first. */
static const char *const palette[BR_PALETTE] = {
    "#56B4E9", "#E69F00", "#2FB58B", "#F0E442", "#CC79A7", "#7FA8D1", "#E8895A", "#BBBBBB",
    "#9BD14B", "#B29AE6", "#4FD0D6", "#E8738A", "#C9A26B", "#8FB08C", "#D98BE0", "#A3A847",
    "#BFE3F7", "#F7D98C", "#A8E0CC", "#FAF5B0", "#EBC6DA", "#C7D7EA", "#F6CDB8", "#E3E3E3",
};

const char *br_draw_palette(uint32_t k)
{
    return palette[k % BR_PALETTE];
}

const char *br_draw_colour(const struct br_emit_input *input, uint32_t stage, char subset)
{
    const struct br_subset_style *style = &br_subset_style[br_subset_index(subset)];
    if (br_draw_is_by_stage(input))
        return br_draw_palette(stage);
    return stage % 2 ? style->tint : style->colour;
}
