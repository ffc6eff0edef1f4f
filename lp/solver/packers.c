#include "lp/solver/packers.h"

bool lp_packers_init(struct lp_packers *packers, const struct br_packing *packing, uint32_t threads)
{
    const uint32_t most = threads < LP_PACKERS_MOST ? threads : LP_PACKERS_MOST;
    *packers = (struct lp_packers){0};
    do {
        struct br_packer *packer = br_packer_create(packing);
        if (!packer)
            break;
        packers->packer[packers->count++] = packer;
    } while (packers->count < most);
    return packers->count > 0;
}

void lp_packers_finish(struct lp_packers *packers)
{
    while (packers->count > 0)
        br_packer_destroy(packers->packer[--packers->count]);
}
