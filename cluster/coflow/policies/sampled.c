#include "cluster/coflow/policies/sampled.h"

#include <math.h>

bool br_sampled_init(struct br_sampled *s, struct br_fabric *fabric, const double *option)
{
    uint32_t coflows = br_fabric_coflows(fabric);
    s->fabric = fabric;
    s->of_senders = option[0];
    s->thin = (uint32_t)option[1];
    s->of_flows = option[2];
    s->least = option[3];
    return br_coflow_list_init(&s->thins, coflows) && br_coflow_list_init(&s->sampling, coflows) &&
           br_coflow_list_init(&s->sized, coflows) && br_pilots_init(&s->pilots, fabric);
}

void br_sampled_finish(struct br_sampled *s)
{
    free(s->thins.coflow);
    free(s->sampling.coflow);
    free(s->sized.coflow);
    br_pilots_finish(&s->pilots);
}

static void sampled_arrive(struct br_sampled *s, uint32_t coflow)
{
    double width = (double)br_fabric_width(s->fabric, coflow);
    double count = fmax(s->of_senders * br_fabric_coflow(s->fabric, coflow)->senders,
                        fmax(s->of_flows * width, s->least));
    if (br_fabric_width(s->fabric, coflow) <= s->thin) {
        br_coflow_list_append(&s->thins, coflow);
        return;
    }
    br_pilots_choose(&s->pilots, coflow, (uint64_t)count);
    br_coflow_list_append(&s->sampling, coflow);
}

double br_sampled_event(struct br_sampled *s, enum br_coflow_event event, uint32_t coflow)
{
    double bytes = 0;
    if (event == BR_COFLOW_ARRIVES) {
        sampled_arrive(s, coflow);
    } else if (event == BR_COFLOW_PILOTS) {
        bytes = br_pilots_estimate(&s->pilots, coflow);
        br_coflow_list_remove(&s->sampling, coflow);
        br_coflow_list_append(&s->sized, coflow);
    } else if (event == BR_COFLOW_LEAVES) {
        if (br_coflow_list_remove(&s->sampling, coflow))
            br_pilots_estimate(&s->pilots, coflow);
        br_coflow_list_remove(&s->thins, coflow);
        br_coflow_list_remove(&s->sized, coflow);
    }
    return bytes;
}

void br_sampled_serve(const struct br_sampled *s)
{
    for (uint32_t k = 0; k < s->thins.count; k++)
        br_rates_split(s->fabric, &s->thins.coflow[k], 1);
    for (uint32_t k = 0; k < s->sampling.count; k++)
        br_rates_pilots(s->fabric, s->sampling.coflow[k]);
}
