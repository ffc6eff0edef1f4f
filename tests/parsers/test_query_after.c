/* What a query does behind its plan, and what it does again and again: triggers of a query that
 * ran, and the inner sides of nested loops of one that did not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/parsers.h"
#include "tests/parsers/parse_text.h"

/* Is `part` in the job of the text? */
static void gives(const char *text, const char *part, bool wanted)
{
    struct parse_text file = parse_text_open(text, strlen(text));
    struct br_input input;
    struct br_diag diag = {0};
    if (br_parse_job(file.path, NULL, &input, &diag))
        fail_msg("%s\n%s", diag.what, text);
    const char *job = parse_describe(&input);
    if (!strstr(job, part) == wanted)
        fail_msg("'%s' is %s\n%s\nof\n%s", part, wanted ? "missing in" : "in", job, text);
    br_input_finish(&input);
    parse_text_close(&file);
}

static void gives_error(const char *text, uint32_t line, const char *what)
{
    struct parse_text file = parse_text_open(text, strlen(text));
    struct br_input input;
    struct br_diag diag = {0};
    assert_int_not_equal(br_parse_job(file.path, NULL, &input, &diag), BR_OK);
    if (diag.line != line || !strstr(diag.what, what))
        fail_msg("%u: %s", diag.line, diag.what);
    parse_text_close(&file);
}

#define ROOT                                                                                       \
    "Insert on t  (cost=0.00..9.00 rows=5 width=8) (actual time=0.100..40.000 rows=0 loops=1)\n"

/* What is longer than the root is for triggers, as far as these took that long; the triggers before
 * a row is written are in the root already. */
static void triggers(void **state)
{
    static const char fk[] = "Trigger for constraint a_check on t: time=30.000 calls=5\n"
                             "Trigger late on t: time=4.500 calls=1\n";
    static const char told[] = "p2*1 0.0345 cpu=1 {operators=Trigger a_check, Trigger late}";
    char text[2000];
    snprintf(text, sizeof text, ROOT "Planning Time: 9.0 ms\n%sExecution Time: 75.000 ms\n", fk);
    gives(text, told, true);
    gives(text, "p1 -> p2 ", true);
    gives(text, "p1*1 0.04 ", true);
    snprintf(text, sizeof text, ROOT "%sExecution Time: 52.250 ms\n", fk);
    gives(text, "p2*1 0.01225 ", true);
    snprintf(text, sizeof text, ROOT "%sExecution Time: 39.000 ms\n", fk);
    gives(text, "p2", false);
    snprintf(text, sizeof text, ROOT "%s", fk);
    gives(text, "p2", false);
    gives(ROOT "Trigger late: calls=1\nExecution Time: 52.250 ms\n", "p2", false);
    /* By VERBOSE, the trigger's own name goes before; and of two queries each has its own. */
    snprintf(text, sizeof text,
             ROOT "Trigger RI_1 for constraint a_check: time=30.000 calls=5\n"
                  "Trigger late: time=4.500 calls=1\nExecution Time: 75.000 ms\n" ROOT
                  "Execution Time: 99.000 ms\n");
    gives(text, "q1.p2*1 0.0345 cpu=1 {operators=Trigger a_check, Trigger late}", true);
    gives(text, "q2.p2", false);
    gives("[{\"Plan\": {\"Node Type\": \"ModifyTable\", \"Actual Total Time\": 40, \"Actual "
          "Loops\": 1},"
          "\"Triggers\": [{\"Trigger Name\": \"RI_1\", \"Constraint Name\": \"a_check\", \"Time\": "
          "30},"
          "{\"Trigger Name\": \"late\", \"Relation\": \"t\", \"Time\": 4.5, \"Calls\": 1}],"
          "\"Execution Time\": 75}]",
          told, true);
    gives("[{\"Plan\": {\"Node Type\": \"A\", \"Actual Total Time\": 1, \"Actual Loops\": 1}, "
          "\"Triggers\": [{\"Trigger Name\": \"a\", \"Time\": 3}, {\"Time\": 4}], \"Execution "
          "Time\": 9}]",
          "p2*1 0.007 cpu=1 {operators=Trigger a, Trigger ?}", true);
    gives(
        "- Plan: \n    Node Type: \"ModifyTable\"\n    Actual Total Time: 40\n    Actual Loops: 1\n"
        "  Triggers: \n    - Trigger Name: \"RI_1\"\n      Constraint Name: \"a_check\"\n"
        "      Time: 30\n    - Trigger Name: \"late\"\n      Time: 4.5\n  Execution Time: 75\n",
        told, true);
    gives("<explain><Query><Plan><Node-Type>ModifyTable</Node-Type><Actual-Total-Time>40"
          "</Actual-Total-Time><Actual-Loops>1</Actual-Loops></Plan><Triggers><Trigger>"
          "<Trigger-Name>RI_1</Trigger-Name><Constraint-Name>a_check</Constraint-Name>"
          "<Time>30</Time></Trigger><Trigger><Trigger-Name>late</Trigger-Name><Time>4.5</Time>"
          "</Trigger></Triggers><Execution-Time>75</Execution-Time></Query></explain>",
          told, true);
    (void)state;
}

#define LOOP(cost, rows)                                                                           \
    "Nested Loop  (cost=5.00.." cost " rows=9 width=8)\n"                                          \
    "  ->  Seq Scan on a  (cost=0.00..10.00 rows=" rows " width=4)\n"                              \
    "  ->  Sort  (cost=5.00..6.00 rows=2 width=4)\n"                                               \
    "        ->  Seq Scan on b  (cost=0.00..4.00 rows=2 width=4)\n"

/* A sort that costs as much again for every row of the other side is done anew, and ends nothing;
 * one that is kept costs little more. */
static void anew(void **state)
{
    static const char two[] = "p2*1 ";
    gives(LOOP("610.00", "100"), two, false);
    gives(LOOP("560.00", "100"), two, false);
    gives(LOOP("520.00", "100"), two, true);
    gives(LOOP("20.00", "100"), two, true);
    gives(LOOP("16.00", "1"), two, true);
    gives("Nested Loop  (cost=5.00..610.00 rows=9 width=8)\n"
          "  ->  Seq Scan on a  (cost=0.00..10.00 rows=100 width=4)\n"
          "  ->  Limit  (cost=5.00..6.00 rows=2 width=4)\n"
          "        ->  Sort  (cost=5.00..6.00 rows=2 width=4)\n"
          "              ->  Seq Scan on b  (cost=0.00..4.00 rows=2 width=4)\n",
          two, false);
    /* The other side is done once; so is an InitPlan, whose cost is no cost of the loop. */
    gives("Nested Loop  (cost=5.00..1200.00 rows=9 width=8)\n"
          "  InitPlan 1 (returns $0)\n"
          "    ->  Sort  (cost=590.00..591.00 rows=2 width=4)\n"
          "          ->  Seq Scan on c  (cost=0.00..4.00 rows=2 width=4)\n"
          "  ->  Sort  (cost=9.00..10.00 rows=100 width=4)\n"
          "        ->  Seq Scan on a  (cost=0.00..8.00 rows=100 width=4)\n"
          "  ->  Sort  (cost=5.00..6.00 rows=2 width=4)\n"
          "        ->  Seq Scan on b  (cost=0.00..4.00 rows=2 width=4)\n",
          "operators=Seq Scan on a, Sort}", true);
    gives("Nested Loop  (cost=5.00..620.00 rows=9 width=8)\n"
          "  InitPlan 1 (returns $0)\n"
          "    ->  Result  (cost=590.00..591.00 rows=2 width=4)\n"
          "  ->  Seq Scan on a  (cost=0.00..8.00 rows=100 width=4)\n"
          "  ->  Sort  (cost=5.00..6.00 rows=2 width=4)\n"
          "        ->  Seq Scan on b  (cost=0.00..4.00 rows=2 width=4)\n",
          "operators=Seq Scan on b, Sort}", true);
    (void)state;
}

/* Plans that auto_explain has logged, among lines that are none of its. */
static void logs(void **state)
{
    static const char one[] = "q1.p1*1 0.00001 cpu=1 {operators=Seq Scan on a}";
    static const char two[] = "q2.p1*1 0.00002 cpu=1 {operators=Seq Scan on b}";
#define PLAN(begin, table, cost)                                                                   \
    "12:00 UTC [7] LOG:  duration: 1.250 ms  plan:\n" begin "Query Text: select '->  x'\n" begin   \
    "  from " table ";\n" begin "Seq Scan on " table "  (cost=0.00.." cost " rows=5 width=4)\n"
#define JSON(begin, table, cost)                                                                   \
    "12:00 UTC [7] LOG:  duration: 1.250 ms  plan:\r\n" begin "{\n" begin                          \
    "  \"Query Text\": \"{\",\n" begin "  \"Plan\": {\"Node Type\": \"Seq Scan\",\n" begin         \
    "    \"Relation Name\": \"" table "\", \"Total Cost\": " cost "}\n" begin "}\n"
    static const char *const texts[] = {
        "12:00 LOG:  up\n\tReady  (cost=0.00..9.00 rows=1 width=1)\n" PLAN(
            "\t", "a", "1.00") "12:01 ERROR:  x\n12:01 STATEMENT:  y\n\tSeq Scan on no  "
                               "(cost=0.00..9.00 rows=1 width=1)\n" PLAN("\t", "b",
                                                                         "2.00") "12:02 down\n",
        "LOAD\n" PLAN("", "a", "1.00") " id \n----\n  1\n(1 row)\n\n" PLAN("", "b",
                                                                           "2.00") " id \n",
        "12:00 LOG:  up\n" JSON("\t", "a", "1.00") "12:01 {\n\t{\n" JSON("\t", "b",
                                                                         "2.00") "12:02 [\n",
        "LOAD\n" JSON("", "a", "1.00") "{ id }\n  1\n" JSON("", "b", "2.00") "[\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        gives(texts[k], one, true);
        gives(texts[k], two, true);
        gives(texts[k], "q3", false);
    }
    /* Where a plan is wrong, its line in the log is told. */
    gives_error("up\n" JSON("\t", "a", "-1"), 6, "Total Cost is '-1'");
    gives_error("duration: 1.250 ms  plan:\n<explain xmlns=\"x\">\n</explain>\n", 2,
                "the plan has neither times nor costs");
    gives_error("up\nduration: 1.250 ms  plan:\n\tQuery Text: \"a\"\n\tPlan: \n\t  Node Type: b\n",
                5, "the node 'b' has neither times nor costs");
    (void)state;
}

/* Plans of all forms in one log, those in YAML and XML as auto_explain writes them; csvlog and
 * jsonlog, where what is wrong is told with the line of the log. */
static void all_logs(void **state)
{
    static const char one[] = "q1.p1*1 0.00001 cpu=1 {operators=Seq Scan on a}";
    static const char two[] = "q2.p1*1 0.00002 cpu=1 {operators=Seq Scan on b}";
#define YAML(begin, table, cost)                                                                   \
    "LOG:  duration: 1.250 ms  plan:\n" begin "Query Text: \"select\\n x\"\n" begin                \
    "Plan: \n" begin "  Node Type: \"Seq Scan\"\n" begin "  Relation Name: \"" table "\"\n" begin  \
    "  Total Cost: " cost "\n"
#define XML(begin, table, cost)                                                                    \
    "LOG:  duration: 1.250 ms  plan:\n" begin "<explain xmlns=\"x\">\n" begin                      \
    "  <Query-Text>select\n" begin " x</Query-Text>\n" begin "  <Plan>\n" begin                    \
    "    <Node-Type>Seq Scan</Node-Type><Relation-Name>" table "</Relation-Name><Total-Cost>" cost \
    "</Total-Cost>\n" begin "  </Plan>\n" begin "</explain>\n"
#define CSV(table, cost)                                                                           \
    "2026-01-01,\"a\",LOG,00000,\"duration: 1.250 ms  plan:\nQuery Text: select \"\"x\"\"\n"       \
    "Seq Scan on " table "  (cost=0.00.." cost " rows=5 width=4)\n  Filter: (x = \"\"y\"\")\","    \
    ",,,\"psql\",,0\n"
#define LINE(table, cost)                                                                          \
    "{\"timestamp\":\"x\",\"message\":\"duration: 1.250 ms  plan:\\nQuery Text: select "           \
    "\\\"x\\\"\\n"                                                                                 \
    "Seq Scan on " table "  (cost=0.00.." cost " rows=5 width=4)\",\"pid\":1}\n"
    static const char *const texts[] = {
        "up\n" YAML("\t", "a", "1.00") XML("\t", "b", "2.00") "down\n",
        "LOAD\n" XML("", "a", "1.00") " id \n----\n  1\n(1 row)\n" YAML("", "b",
                                                                        "2.00") "(1 row)\n",
        JSON("\t", "a", "1.00") PLAN("\t", "b", "2.00"),
        YAML("\t", "a", "1.00") JSON("\t", "b", "2.00"),
        "2026-01-01,\"a\",LOG,00000,\"started, \"\"x\"\"\",,\n" CSV("a", "1.00") CSV("b", "2.00"),
        "{\"message\":\"started\"}\n" LINE("a", "1.00") LINE("b", "2.00"),
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        gives(texts[k], one, true);
        gives(texts[k], two, true);
        gives(texts[k], "q3", false);
        gives(texts[k], "@1 ", false);
    }
    /* The first plan may be far behind the begin of a log. */
    static char late[100000];
    for (size_t used = 0; used < 80000;)
        used += (size_t)sprintf(late + used, "12:00 UTC [7] LOG:  checkpoint %zu\n", used);
    gives_error(late, 0, "the server's log has no plan in it");
    strcat(late, PLAN("\t", "a", "1.00") PLAN("\t", "b", "2.00"));
    gives(late, one, true);
    gives(late, two, true);
    gives_error("{\"message\":\"started\"}\n" LINE("a", "x"), 2, "Total Cost is 'x'");
    gives_error("2026,\n" CSV("a", "x"), 4, "Total Cost is 'x'");
    gives_error("up\n" YAML("\t", "a", "x"), 7, "Total Cost is 'x'");
    gives_error("up\n" XML("\t", "a", "x"), 7, "Total Cost is 'x'");
    gives_error(
        "2026,LOG,\"duration: 1.250 ms  plan:\nSeq Scan on a  (cost=0.00..1.00 rows=5 width=4)\n",
        2, "ends in the middle of a plan");
    gives_error("{\"message\":\"duration: 1.250 ms  plan:\\nSeq Scan on a  (cost=0.0", 1,
                "ends in the middle");
    (void)state;
}

/* What one plan of a log has wrong costs that plan, and the job tells it. */
static void one_bad_plan(void **state)
{
    static const char log[] =
        "up\n" JSON("\t", "a", "1.00") JSON("\t", "b", "-2.00") PLAN("\t", "c", "3.00");
    struct parse_text file = parse_text_open(log, strlen(log));
    struct br_input input;
    struct br_diag diag = {0};
    assert_int_equal(br_parse_job(file.path, NULL, &input, &diag), BR_OK);
    assert_int_equal(input.dag->stages, 2);
    assert_string_equal(input.dag->stage[1].id, "q2.p1");
    assert_int_equal(input.dag->doubts, 1);
    assert_non_null(strstr(input.dag->doubt[0],
                           "1 of 3 plans cannot be read and are left out, the first at line 12: "
                           "Total Cost is '-2.00'"));
    br_input_finish(&input);
    parse_text_close(&file);
    (void)state;
}

/* As PostgreSQL writes it of a MERGE into partitions: a name without a value. Other faults of other
 * plans have no such hint. */
static void merge(void **state)
{
    static const char *const text[] = {
        "[{\"Plan\": {\"Node Type\": \"ModifyTable\", \"Operation\": \"Merge\", \"Tuples\" }}]",
        "- Plan:\n    Node Type: \"ModifyTable\"\n    Operation: \"Merge\"\n    Tuples: [\n",
        "[{\"Plan\": {\"Node Type\": \"ModifyTable\", \"Operation\": \"Insert\", \"Tuples\" }}]"};
    for (size_t k = 0; k < 3; k++) {
        struct parse_text file = parse_text_open(text[k], strlen(text[k]));
        struct br_input input;
        struct br_diag diag = {0};
        assert_int_equal(br_parse_job(file.path, NULL, &input, &diag), BR_BAD_INPUT);
        assert_int_equal(strstr(diag.hint, "take FORMAT TEXT or XML") != NULL, k < 2);
        br_input_finish(&input);
        parse_text_close(&file);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triggers), cmocka_unit_test(anew),         cmocka_unit_test(logs),
        cmocka_unit_test(all_logs), cmocka_unit_test(one_bad_plan), cmocka_unit_test(merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
