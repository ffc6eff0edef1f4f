/* Names and numbers in rows. */
#include "emit/write/row.h"

void br_row_text(struct br_row *row, const char *text)
{
    const size_t size = br_text_plain(text);
    if (text[size] || size >= BR_ROW_SIZE) {
        br_row_flush(row);
        br_write_text(row->out, BR_QUOTE_JSON, text);
        return;
    }
    memcpy(br_row_room(row, size), text, size);
    row->used += size;
}

static void write_row_number_of(struct br_row *row, uint32_t index)
{
    br_row_char(row, '[');
    br_row_count(row, index);
    br_row_char(row, ']');
}

void br_row_task(struct br_row *row, const struct br_stage *stage, uint32_t task)
{
    br_row_text(row, stage->id);
    if (stage->tasks > 1)
        write_row_number_of(row, task - stage->first_task);
}

void br_row_machine(struct br_row *row, const struct br_cluster *cluster, uint32_t machine)
{
    const struct br_class *cls = &cluster->cls[br_cluster_machine_class(cluster, machine)];
    br_row_text(row, cls->name);
    if (cls->count > 1)
        write_row_number_of(row, machine - cls->first_machine);
}

void br_row_ratio(struct br_row *row, int64_t numerator, int64_t denominator)
{
    row->used += (size_t)br_ratio_format(numerator, denominator, br_row_room(row, BR_RATIO_TEXT));
}

void br_row_decimal(struct br_row *row, struct br_decimal value)
{
    br_decimal_format(value, br_row_room(row, BR_DECIMAL_TEXT), BR_DECIMAL_TEXT);
    row->used += strlen(row->text + row->used);
}
