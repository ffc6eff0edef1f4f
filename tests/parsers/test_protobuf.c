/* Messages of protocol buffers: what their fields hold, and that what is cut short, or is no
 * message, is seen. Bytes are written out by the encoding's own rules. */
#include "parsers/text/protobuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define OF(...) br_proto_of((uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}))

/* A number of two bytes, bytes, and numbers of fixed length, in this order. */
static void fields_hold_what_was_written(void **state)
{
    struct br_proto m =
        OF(0x08, 0xac, 0x02, 0x12, 0x02, 'h', 'i', 0x1d, 1, 0, 0, 1, 0x21, 2, 0, 0, 0, 0, 0, 0, 1);
    assert_true(br_proto_next(&m));
    assert_true(br_proto_is_number(&m, 1) && m.number == 300);
    assert_false(br_proto_is_number(&m, 2) || br_proto_is_bytes(&m, 1));
    assert_true(br_proto_next(&m));
    assert_true(br_proto_is_bytes(&m, 2) && m.size == 2 && memcmp(m.bytes, "hi", 2) == 0);
    assert_false(br_proto_is_bytes(&m, 1) || br_proto_is_number(&m, 2));
    assert_true(br_proto_next(&m));
    assert_true(m.field == 3 && m.kind == BR_PROTO_FIXED32 && m.number == 0x01000001);
    assert_false(br_proto_is_number(&m, 3) || br_proto_is_bytes(&m, 3));
    assert_true(br_proto_next(&m));
    assert_true(m.field == 4 && m.kind == BR_PROTO_FIXED64 && m.number == 0x0100000000000002);
    assert_false(br_proto_next(&m) || m.damaged);
}

/* Is the message seen to be damaged, after so many fields? */
static void assert_damaged(struct br_proto m, unsigned fields)
{
    for (; fields > 0; fields--)
        assert_true(br_proto_next(&m));
    assert_false(br_proto_next(&m));
    assert_true(m.damaged);
    assert_false(br_proto_next(&m)); /* and ends there */
}

static void damage_is_seen(void **state)
{
    assert_damaged(OF(0x08, 1, 0x08), 1);                      /* a number is missing, */
    assert_damaged(OF(0x08, 0x80), 0);                         /* or cut short */
    assert_damaged(OF(0x80), 0);                               /* so is the key */
    assert_damaged(OF(0x0a, 3, 'h', 'i'), 0);                  /* bytes are */
    assert_damaged(OF(0x0d, 1, 0, 0), 0);                      /* 32 bits */
    assert_damaged(OF(0x09, 1, 0, 0, 0, 0, 0, 0), 0);          /* 64 bits */
    assert_damaged(OF(0x00, 1), 0);                            /* field 0 */
    assert_damaged(OF(0x80, 0x80, 0x80, 0x80, 0x80, 1, 1), 0); /* field 2^32 */
    assert_damaged(OF(0x0b, 0x0c), 0);                         /* a group */
    assert_damaged(OF(0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1), 0);
}

/* A message within another; a number holds none. Packed numbers end with the field. */
static void messages_hold_messages(void **state)
{
    struct br_proto m = OF(0x0a, 2, 0x10, 7, 0x18, 5, 0x22, 3, 1, 0x80, 1), inside;
    uint64_t number;
    assert_true(br_proto_next(&m));
    inside = br_proto_inside(&m);
    assert_true(br_proto_next(&inside) && br_proto_is_number(&inside, 2) && inside.number == 7);
    assert_false(br_proto_next(&inside) || inside.damaged);
    assert_true(br_proto_next(&m));
    inside = br_proto_inside(&m);
    assert_false(br_proto_next(&inside) || inside.damaged);
    assert_true(br_proto_next(&m));
    inside = br_proto_inside(&m);
    assert_true(br_proto_varint(&inside, &number) && number == 1);
    assert_true(br_proto_varint(&inside, &number) && number == 128);
    assert_false(br_proto_varint(&inside, &number) || inside.damaged);
}

/* Text is cut to the room, not within a character, and what no line can show becomes '?'. */
static void text_fits_its_room(void **state)
{
    static const struct {
        const char *bytes;
        size_t room;
        const char *text;
    } row[] = {{"name", 5, "name"},     {"name", 4, "nam"},  {"na\xc3\xa9", 5, "na\xc3\xa9"},
               {"na\xc3\xa9", 4, "na"}, {"\xc3\xa9", 2, ""}, {"a\nb", 9, "a?b"},
               {"\x80\x80\x80", 2, ""}, {"", 1, ""}};
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        char text[16];
        const struct br_proto field = {.kind = BR_PROTO_BYTES,
                                       .bytes = (const uint8_t *)row[k].bytes,
                                       .size = strlen(row[k].bytes)};
        br_proto_text(&field, text, row[k].room);
        assert_string_equal(text, row[k].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_hold_what_was_written), cmocka_unit_test(damage_is_seen),
        cmocka_unit_test(messages_hold_messages), cmocka_unit_test(text_fits_its_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
