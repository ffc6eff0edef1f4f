/* The ports of machines in an SVG picture, below the use of resources, and transfers elsewhere in
 * it. Nothing is drawn for a plan that does not account for transfers. */
#ifndef BR_EMIT_PICTURES_SVG_PORTS_H
#define BR_EMIT_PICTURES_SVG_PORTS_H

#include "emit/pictures/svg_panel.h"

/* The height needed by the rows of ports. */
int64_t br_panel_ports_height(const struct br_panel *panel);
/* Draws them below the place, and returns their end. */
int64_t br_panel_draw_ports(const struct br_panel *panel, int64_t top);
/* The transfer that a task of the critical chain waited for. */
void br_panel_chain_transfer(const struct br_panel *panel, uint32_t transfer, int64_t y,
                             int64_t height);
/* Writes the transfers that the task waits for: ", waits for 3 transfers, last 107.3 MiB of ...".
 */
void br_panel_inputs(const struct br_panel *panel, uint32_t task);

#endif
