/* Colours are of the palette of Okabe and Ito, which is made for all kinds of colour vision. */
#include "emit/pictures/picture.h"

#include <inttypes.h>

#include "base/numbers/wide.h"
#include "emit/write/figures.h"

const struct br_subset_style br_subset_style[BR_SUBSETS] = {
    {'T', "#E69F00", "#F3C867", "troublesome, placed first"},
    {'S', "#56B4E9", "#9BD3F3", "the rest"},
    {'P', "#2FB58B", "#82D3B9", "before T"},
    {'C', "#CC79A7", "#E2B0CB", "after T"},
};

enum { S_INDEX = 1 };

uint32_t br_subset_index(char letter)
{
    for (uint32_t k = 0; k < BR_SUBSETS; k++)
        if (br_subset_style[k].letter == letter)
            return k;
    return S_INDEX;
}

bool br_subsets_used(const struct br_plan *plan, bool used[BR_SUBSETS])
{
    bool others = false;
    for (uint32_t k = 0; k < BR_SUBSETS; k++)
        used[k] = false;
    for (uint32_t t = 0; t < plan->tasks; t++) {
        uint32_t k = br_subset_index(plan->subset[t]);
        used[k] = true;
        others |= k != S_INDEX;
    }
    return others;
}

void br_write_gap(FILE *out, const struct br_plan *plan)
{
    if (plan->lower_bound_ns <= 0) {
        fputs(plan->makespan_ns > 0 ? "unknown" : "0 %", out);
        return;
    }
    br_wide excess = (br_wide)plan->makespan_ns - plan->lower_bound_ns;
    br_wide tenths = (excess * 1000 + plan->lower_bound_ns / 2) / plan->lower_bound_ns;
    if (tenths == 0 && excess > 0)
        fputs("below 0.1 %", out);
    else
        fprintf(out, "%" PRId64 ".%" PRId64 " %%", (int64_t)(tenths / 10),
                (int64_t)(tenths < 0 ? -tenths % 10 : tenths % 10));
}

void br_write_headline(FILE *out, enum br_quote quote, const struct br_emit_input *input)
{
    const struct br_plan *plan = input->plan;
    br_write_cut(out, quote, *input->dag->name ? input->dag->name : "job", 60);
    fputs(": makespan ", out);
    br_write_about(out, plan->makespan_ns);
    if (plan->makespan_ns == plan->lower_bound_ns) {
        fputs(" s, optimal", out);
    } else {
        fputs(" s, lower bound ", out);
        br_write_about(out, plan->lower_bound_ns);
        fputs(" s, gap ", out);
        br_write_gap(out, plan);
    }
    fputs("; planned by ", out);
    br_write_cut(out, quote, plan->method, 30);
    if (*plan->bound_method) {
        fputs(", bound by ", out);
        br_write_cut(out, quote, plan->bound_method, 60);
    }
}
