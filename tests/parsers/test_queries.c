/* Plans of queries: every form gives the same job, estimates come to what the planner said, several
 * queries stay apart, and what is damaged is refused and becomes no other plan. The server itself
 * writes them in queries.py. */
#include "tests/parsers/parse_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The job of the text, without the places, in which pipelines wait for what they read alone; what
 * is wrong with it, where it is refused. For the caller to free. */
static char *job_of(const char *text)
{
    struct br_parse_options options = br_parse_options_default();
    options.overlap = true;
    struct parse_text file = parse_text_open(text, strlen(text));
    struct br_input input;
    struct br_diag diag = {0};
    char *job = malloc(1 << 16);
    assert_non_null(job);
    if (br_parse_job(file.path, &options, &input, &diag)) {
        snprintf(job, 1 << 16, "%u:%u: %s", diag.line, diag.column, diag.what);
    } else {
        const char *from = strchr(parse_describe(&input), '\n'); /* the name is the file's */
        char *to = job;
        for (const char *attribute = strstr(parse_describe(&input), " {durations="); attribute;
             attribute = NULL)
            from = attribute < from ? attribute : from;
        for (; *from; *to++ = *from++)
            if (from[0] == ' ' && from[1] == '@')
                from += strcspn(from, "\n");
        *to = 0;
        br_input_finish(&input);
    }
    parse_text_close(&file);
    return job;
}

static void same(const char *text, const char *expected)
{
    char *job = job_of(text);
    if (strcmp(job, expected) != 0)
        fail_msg("%s\nand not\n%s\ncomes of\n%s", job, expected, text);
    free(job);
}

/* A hashed left join below a sort, with a filter that reads an InitPlan; made by hand, so that
 * every figure is told from every other one. */
static const char forms_job[] =
    "\n"
    "resource cpu in cores\n"
    "resource mem in bytes\n"
    "p1*1 0.002 cpu=1 mem=20480 {operators=Seq Scan on b x, Hash}\n"
    "p2*1 0.001 cpu=1 {operators=Seq Scan on c, Aggregate}\n"
    "p3*1 0.005 cpu=1 mem=46080 {operators=Index Scan on a, Hash Join, Sort}\n"
    "p4*1 0.001 cpu=1 mem=25600 {operators=result}\n"
    "p1 -> p3\n"
    "p3 -> p4\n"
    "p2 -> p3\n";

#define L1 "Sort  (cost=9.00..9.50 rows=5 width=8) (actual time=8.000..9.000 rows=5 loops=1)"
#define L2 "  Sort Key: a.id"
#define L3 "  Sort Method: quicksort  Memory: 25kB"
#define L4 "  InitPlan 1 (returns $0)"
#define L5                                                                                         \
    "    ->  Aggregate  (cost=1.00..1.10 rows=1 width=4) (actual time=1.000..1.000 rows=1 "        \
    "loops=1)"
#define L6                                                                                         \
    "          ->  Seq Scan on c  (cost=0.00..0.50 rows=9 width=4) (actual time=0.000..0.500 "     \
    "rows=9 loops=1)"
#define L7                                                                                         \
    "  ->  Hash Left Join  (cost=3.00..8.00 rows=5 width=8) (actual time=2.500..8.000 rows=5 "     \
    "loops=1)"
#define L8 "        Hash Cond: (a.id = \"b x\".id)"
#define L9                                                                                         \
    "        ->  Index Scan Backward using a_id on a  (cost=0.00..4.00 rows=5 width=4) (actual "   \
    "time=0.100..5.000 "                                                                           \
    "rows=5 loops=1)"
#define L10 "              Filter: (id > $0)"
#define L11                                                                                        \
    "        ->  Hash  (cost=2.00..2.00 rows=5 width=4) (actual time=2.000..2.000 rows=5 loops=1)"
#define L12 "              Buckets: 1024  Batches: 1  Memory Usage: 20kB"
#define L13                                                                                        \
    "              ->  Seq Scan on \"b x\"  (cost=0.00..2.00 rows=5 width=4) (actual "             \
    "time=0.000..1.500 rows=5 "                                                                    \
    "loops=1)"
#define L14 "Planning Time: 0.100 ms"
#define L15 "Execution Time: 9.100 ms"
#define EACH(before, after)                                                                        \
    before L1 after before L2 after before L3 after before L4 after before L5 after before L6      \
        after before L7 after before L8 after before L9 after before L10 after before L11 after    \
            before L12 after before L13 after before L14 after before L15 after

static const char json[] =
    "[\n  {\n    \"Plan\": {\n"
    "\"Node Type\": \"Sort\", \"Parallel Aware\": false, \"Startup Cost\": 9.00, \"Total Cost\": "
    "9.50,\n"
    "\"Plan Rows\": 5, \"Plan Width\": 8, \"Actual Startup Time\": 8.000, \"Actual Total Time\": "
    "9.000,\n"
    "\"Actual Rows\": 5, \"Actual Loops\": 1, \"Sort Key\": [\"a.id\"], \"Sort Method\": "
    "\"quicksort\",\n"
    "\"Sort Space Used\": 25, \"Sort Space Type\": \"Memory\", \"Plans\": [{\n"
    "\"Node Type\": \"Aggregate\", \"Strategy\": \"Plain\", \"Parent Relationship\": "
    "\"InitPlan\",\n"
    "\"Subplan Name\": \"InitPlan 1 (returns $0)\", \"Startup Cost\": 1.00, \"Total Cost\": 1.10,\n"
    "\"Actual Startup Time\": 1.000, \"Actual Total Time\": 1.000, \"Actual Loops\": 1, \"Plans\": "
    "[{\n"
    "\"Node Type\": \"Seq Scan\", \"Relation Name\": \"c\", \"Alias\": \"c\", \"Total Cost\": "
    "0.50,\n"
    "\"Actual Startup Time\": 0.000, \"Actual Total Time\": 0.500, \"Actual Loops\": 1}]}, {\n"
    "\"Node Type\": \"Hash Join\", \"Join Type\": \"Left\", \"Total Cost\": 8.00, \"Actual Startup "
    "Time\": 2.500,\n"
    "\"Actual Total Time\": 8.000, \"Actual Loops\": 1, \"Hash Cond\": \"(a.id = \\\"b "
    "x\\\".id)\", \"Plans\": [{\n"
    "\"Node Type\": \"Index Scan\", \"Scan Direction\": \"Backward\", \"Index Name\": \"a_id\",\n"
    "\"Relation Name\": \"a\", \"Total Cost\": 4.00, \"Actual Startup Time\": 0.100, \"Actual "
    "Total Time\": 5.000,\n"
    "\"Actual Loops\": 1, \"Filter\": \"(id > $0)\"}, {\n"
    "\"Node Type\": \"Hash\", \"Total Cost\": 2.00, \"Actual Startup Time\": 2.000, \"Actual Total "
    "Time\": 2.000,\n"
    "\"Actual Loops\": 1, \"Hash Buckets\": 1024, \"Peak Memory Usage\": 20, \"Plans\": [{\n"
    "\"Node Type\": \"Seq Scan\", \"Relation Name\": \"b x\", \"Total Cost\": 2.00,\n"
    "\"Actual Startup Time\": 0.000, \"Actual Total Time\": 1.500, \"Actual Loops\": 1}]}]}]},\n"
    "\"Planning Time\": 0.100, \"Triggers\": [], \"Execution Time\": 9.100\n  }\n]\n";

/* The same with a setting as YAML and XML write it, without their costs. */
#define YAML(dash, in)                                                                             \
    dash "- Plan: \n" in "Node Type: \"Sort\"\n" in "Actual Startup Time: 8.000\n" in              \
         "Actual Total Time: 9.000\n" in "Actual Loops: 1\n" in "Sort Key: \n" in                  \
         "  - \"a.id\"\n" in "Sort Space Used: 25\n" in "Sort Space Type: \"Memory\"\n" in         \
         "Plans: \n" in "  - {Node Type: \"Aggregate\", Parent Relationship: \"InitPlan\", "       \
         "Strategy: \"Plain\",\n" in                                                               \
         "     Subplan Name: \"InitPlan 1 (returns $0)\", Actual Startup Time: 1.000, Actual "     \
         "Total Time: 1.0,\n" in "     Actual Loops: 1, Plans: [{Node Type: \"Seq Scan\", "        \
         "Relation Name: \"c\", Actual Total Time: 0.5,\n" in "     Actual Loops: 1}]}\n" in       \
         "  - Node Type: \"Hash Join\"\n" in "    Actual Startup Time: 2.500\n" in                 \
         "    Actual Total Time: 8.000\n" in "    Actual Loops: 1\n" in "    Plans:\n" in          \
         "      - Node Type: \"Index Scan\"\n" in "        Relation Name: \"a\"\n" in              \
         "        Actual Startup Time: 0.100\n" in "        Actual Total Time: 5.000\n" in         \
         "        Actual Loops: 1\n" in "        Filter: \"(id > $0)\"\n" in                       \
         "      - Node Type: \"Hash\"\n" in "        Actual Startup Time: 2.0\n" in                \
         "        Actual Total Time: 2.0\n" in "        Actual Loops: 1\n" in                      \
         "        Peak Memory Usage: 20\n" in "        Plans: \n" in                               \
         "          - Node Type: \"Seq Scan\"\n" in "            Relation Name: \"b x\"\n" in      \
         "            Actual Total Time: 1.500\n" in "            Actual Loops: 1\n" dash          \
         "  Settings: \n" dash "    work_mem: \"8MB\"\n" dash "  Execution Time: 9.1\n"

static void forms(void **state)
{
    same(EACH("", "\n"), forms_job);
    same(EACH("   ", "\r\n"), forms_job);
    same(json, forms_job);
    same(YAML("", "    "), forms_job);
    /* psql with its title, rules and rows. */
    same("                QUERY PLAN                \n-----------------------------\n" EACH(
             " ", "\n") "(15 rows)\n\n",
         forms_job);
    same("SET\n+--------+\n|   QUERY PLAN   |\n+--------+\n" EACH(
             "| ", "   |\n") "+--------+\n(15 rows)\n\nTime: 9 ms\n",
         forms_job);
    same("┌──────┐\n│  QUERY PLAN  │\n├──────┤\n" EACH("│ ", "  │\n") "└──────┘\n(15 rows)\n",
         forms_job);
    same("QUERY PLAN\n" EACH("", "\n") "(15 rows)\n", forms_job);
    same("-[ RECORD 1 ]---------\n" EACH("QUERY PLAN | ", "\n-[ RECORD 2 ]---------\n") "\n",
         forms_job);
    /* One value of many lines. */
    same("      QUERY PLAN      \n----------------------\n" YAML(" ", "     ") "(1 row)\n",
         forms_job);
    char *text = malloc(3 * sizeof json), *to = text;
    assert_non_null(text);
    for (int ascii = 0; ascii < 2; ascii++) {
        to = text +
             sprintf(text, "  QUERY PLAN  \n%s\n ", ascii ? "--------------" : "──────────────");
        for (const char *p = json; p[1]; p++) {
            if (*p == '\n')
                to += sprintf(to, "      %s\n ", ascii ? "+" : "↵");
            else
                *to++ = *p;
        }
        sprintf(to, "\n(1 row)\n\n");
        same(text, forms_job);
    }
    to = text + sprintf(text, "QUERY PLAN\n\"");
    for (const char *p = json; p[1]; p++) {
        if (*p == '"')
            *to++ = '"';
        *to++ = *p;
    }
    sprintf(to, "\"\n");
    same(text, forms_job);
    to = text + sprintf(text, "\"QUERY PLAN\"\n"); /* a row a line, as pgAdmin copies them */
    for (const char *p = EACH("", "\n"), *line = p; *p; p++) {
        if (p == line || *p == '\n' || *p == '"')
            *to++ = '"';
        *to++ = *p;
        line = *p == '\n' ? p + 1 : line;
    }
    *to = 0;
    same(text, forms_job);
    free(text);
}

/* Estimates: what the pipelines of a process last together is the cost of the root, 10 us a unit.
 * The Limit takes a tenth of what the join below costs after its first row, but all of what the
 * hash table takes; work_mem bounds the table: 1 GiB times 2 holds 10^6 rows of 8 bytes with 56
 * beside each, 64 kB times 1.5 does not. */
#define LIMIT(settings)                                                                            \
    "Limit  (cost=20.00..38.00 rows=10 width=8)\n"                                                 \
    "  ->  Hash Join  (cost=20.00..200.00 rows=100 width=8)\n"                                     \
    "        ->  Seq Scan on a  (cost=0.00..100.00 rows=100 width=4)\n"                            \
    "        ->  Hash  (cost=15.00..15.00 rows=1000000 width=8)\n"                                 \
    "              ->  Seq Scan on b  (cost=0.00..15.00 rows=1000000 width=8)\n" settings
static void estimates(void **state)
{
    same(LIMIT("Settings: jit = 'off', work_mem = '1GB'\n"),
         " {durations=estimated, 10.000 us a unit of cost}\n"
         "resource cpu in cores\n"
         "resource mem in bytes\n"
         "p1*1 0.00015 cpu=1 mem=64000000 {operators=Seq Scan on b, Hash}\n"
         "p2*1 0.00023 cpu=1 mem=64000000 {operators=Seq Scan on a, Hash Join, Limit}\n"
         "p1 -> p2\n");
    same(LIMIT("Settings: hash_mem_multiplier = '1.5', work_mem = '64kB'\n"),
         " {durations=estimated, 10.000 us a unit of cost}\n"
         "resource cpu in cores\n"
         "resource mem in bytes\n"
         "p1*1 0.00015 cpu=1 mem=98304 {operators=Seq Scan on b, Hash}\n"
         "p2*1 0.00023 cpu=1 mem=98304 {operators=Seq Scan on a, Hash Join, Limit}\n"
         "p1 -> p2\n");
    static const char sorted[] =
        " {durations=estimated, 10.000 us a unit of cost}\nresource cpu in cores\nresource mem in "
        "bytes\np1*1 0.00003 cpu=1 mem=65536 {operators=Sort}\np2*1 0 cpu=1 mem=65536 "
        "{operators=result}\n"
        "p1 -> p2\n";
    same("- Plan: \n    Node Type: Sort\n    Startup Cost: 3\n    Total Cost: 3\n    Plan Rows: "
         "100000\n    Plan Width: 9\n"
         "  Settings: \n    work_mem: \"64kB\"\n",
         sorted);
    same("[{\"Plan\": {\"Node Type\": \"Sort\", \"Startup Cost\": 3, \"Total Cost\": 3, \"Plan "
         "Rows\": 100000,\n"
         "\"Plan Width\": 9}, \"Settings\": {\"work_mem\": \"65536B\"}}]",
         sorted);
    same("<explain><Query><Plan><Node-Type>Sort</Node-Type><Startup-Cost>3</"
         "Startup-Cost><Total-Cost>3</Total-Cost>\n"
         "<Plan-Rows>100000</Plan-Rows><Plan-Width>9</Plan-Width></Plan><Settings><work_mem>64kB</"
         "work_mem></Settings>\n"
         "</Query></explain>",
         sorted);
    /* No rows are asked for: what comes before the first one is done all the same. */
    same("Limit  (cost=20.00..20.00 rows=0 width=8)\n"
         "  ->  Result  (cost=20.00..200.00 rows=100 width=8)\n"
         "        ->  Seq Scan on a  (cost=15.00..195.00 rows=100 width=8)\n",
         " {durations=estimated, 10.000 us a unit of cost}\n"
         "resource cpu in cores\n"
         "p1*1 0.0002 cpu=1 {operators=Seq Scan on a, Result, Limit}\n");
    /* A CTE counts in its owner, two workers and the leader share a hash table whose rows are those
     * of one, a sort needs all of what is below it though only some of its rows are asked for, and
     * the planner's 10^10 for what it was told to avoid is no time. */
    same("Limit  (cost=10000000080.00..10000000082.00 rows=1 width=8)\n"
         "  CTE c\n"
         "    ->  Seq Scan on d  (cost=0.00..10.00 rows=5 width=4)\n"
         "  ->  Sort  (cost=10000000070.00..10000000090.00 rows=100 width=12)\n"
         "        ->  Nested Loop  (cost=10000000010.00..10000000060.00 rows=100 width=12)\n"
         "              ->  Gather  (cost=10.00..30.00 rows=100 width=8)\n"
         "                    Workers Planned: 2\n"
         "                    ->  Parallel Hash Join  (cost=8.00..20.00 rows=33 width=8)\n"
         "                          ->  Parallel Seq Scan on a  (cost=0.00..9.00 rows=33 width=4)\n"
         "                          ->  Parallel Hash  (cost=6.00..6.00 rows=10 width=8)\n"
         "                                ->  Parallel Seq Scan on b  (cost=0.00..6.00 rows=10 "
         "width=8)\n"
         "              ->  CTE Scan on c  (cost=0.00..1.00 rows=5 width=4)\n",
         " {durations=estimated, 10.000 us a unit of cost}\n"
         "resource cpu in cores\n"
         "resource mem in bytes\n"
         "p1*3 0.00006 cpu=1 mem=640 {operators=Seq Scan on b, Hash}\n"
         "p2*3 0.00014 cpu=1 mem=640 {operators=Seq Scan on a, Hash Join}\n"
         "p3*1 0.0005 cpu=1 mem=6000 {operators=Gather, CTE Scan on c, Nested Loop, Sort}\n"
         "p4*1 0.0001 cpu=1 {operators=Seq Scan on d}\n"
         "p5*1 0.00002 cpu=1 mem=6000 {operators=Limit}\n"
         "p1 -> p2\np2 -> p3\np3 -> p5\np4 -> p3\n");
}

/* Who reads an InitPlan is outside of it, and "$1" is not "$10"; a CTE of the same name elsewhere
 * is another one. */
static void readers(void **state)
{
    same("Result  (cost=7.00..8.00 rows=1 width=4)\n"
         "  One-Time Filter: ($1 > 0)\n"
         "  InitPlan 1 (returns $1)\n"
         "    ->  Hash  (cost=1.00..1.00 rows=0 width=4)\n"
         "          ->  Seq Scan on a  (cost=0.00..1.00 rows=1 width=4)\n"
         "                Filter: (x > $1)\n"
         "  InitPlan 2 (returns $10)\n"
         "    ->  Seq Scan on b  (cost=0.00..2.00 rows=1 width=4)\n"
         "  ->  Hash  (cost=3.00..3.00 rows=0 width=4)\n"
         "        ->  Seq Scan on c  (cost=0.00..3.00 rows=1 width=4)\n"
         "              Filter: (x > $10)\n",
         " {durations=estimated, 10.000 us a unit of cost}\n"
         "resource cpu in cores\n"
         "p1*1 0.00003 cpu=1 {operators=Seq Scan on c, Hash}\n"
         "p2*1 0.00002 cpu=1 {operators=Seq Scan on b}\n"
         "p3*1 0.00001 cpu=1 {operators=Seq Scan on a, Hash}\n"
         "p4*1 0 cpu=1 {operators=result}\n"
         "p5*1 0.00002 cpu=1 {operators=Result}\n"
         "p1 -> p5\np3 -> p4\np4 -> p5\np2 -> p1\n");
    same("Append  (cost=6.00..9.00 rows=1 width=4)\n"
         "  ->  Hash Join  (cost=1.00..4.00 rows=1 width=4)\n"
         "        CTE c\n"
         "          ->  Seq Scan on a  (cost=0.00..1.00 rows=1 width=4)\n"
         "        ->  CTE Scan on c  (cost=0.00..1.00 rows=1 width=4)\n"
         "        ->  Hash  (cost=1.00..1.00 rows=0 width=4)\n"
         "              ->  CTE Scan on c c_1  (cost=0.00..1.00 rows=1 width=4)\n"
         "  ->  Hash  (cost=2.00..2.00 rows=0 width=4)\n"
         "        ->  CTE Scan on c  (cost=0.00..2.00 rows=1 width=4)\n",
         " {durations=estimated, 10.000 us a unit of cost}\n"
         "resource cpu in cores\n"
         "p1*1 0.00002 cpu=1 {operators=CTE Scan on c, Hash}\n"
         "p2*1 0.00001 cpu=1 {operators=CTE Scan on c, Hash}\n"
         "p3*1 0.00001 cpu=1 {operators=Seq Scan on a}\n"
         "p4*1 0.00005 cpu=1 {operators=CTE Scan on c, Hash Join, Append}\n"
         "p1 -> p4\np2 -> p4\np3 -> p4\np3 -> p2\n");
}

/* Queries of one file: their stages have their names, and the "$0" of one is not that of another.
 */
#define ONE(table)                                                                                 \
    "Result  (cost=2.00..3.00 rows=1 width=4)\n  One-Time Filter: $0\n  InitPlan 1 (returns $0)\n" \
    "    ->  Seq Scan on " table "  (cost=0.00..2.00 rows=1 width=4)\n"
static void several(void **state)
{
    static const char job[] =
        " {durations=estimated, 10.000 us a unit of cost}\nresource cpu in cores\n"
        "q1.p1*1 0.00002 cpu=1 {operators=Seq Scan on a}\n"
        "q1.p2*1 0.00001 cpu=1 {operators=Result}\n"
        "q2.p1*1 0.00002 cpu=1 {operators=Seq Scan on b}\n"
        "q2.p2*1 0.00001 cpu=1 {operators=Result}\n"
        "q1.p1 -> q1.p2\nq2.p1 -> q2.p2\n";
    same(ONE("a") "\n" ONE("b"), job);
    same("   QUERY PLAN\n--------------\n" ONE(
             "a") "(4 rows)\n\n   QUERY PLAN\n--------------\n" ONE("b") "(4 rows)\n",
         job);
#define NODE(table)                                                                                \
    "{\"Plan\": {\"Node Type\": \"Result\", \"Total Cost\": 3, \"One-Time Filter\": \"$0\", "      \
    "\"Plans\": [{\"Node Type\": "                                                                 \
    "\"Seq Scan\", \"Total Cost\": 2, \"Parent Relationship\": \"InitPlan\", \"Relation Name\": "  \
    "\"" table "\", \"Subplan Name\": \"InitPlan 1 (returns $0)\"}]}}"
    same("[" NODE("a") ", " NODE("b") "]", job);
    same("[" NODE("a") "]\n[" NODE("b") "]\n", job);
    same(NODE("a") NODE("b"), job);
#define XML(table)                                                                                 \
    "<explain "                                                                                    \
    "xmlns=\"http://www.postgresql.org/2009/explain\">\n<Query><Plan><Node-Type>Result</"          \
    "Node-Type>"                                                                                   \
    "<Total-Cost>3</Total-Cost><One-Time-Filter>$0</One-Time-Filter><Plans><Plan><Node-Type>Seq "  \
    "Scan</Node-Type>"                                                                             \
    "<Total-Cost>2</Total-Cost><Parent-Relationship>InitPlan</"                                    \
    "Parent-Relationship><Relation-Name>" table                                                    \
    "</Relation-Name><Subplan-Name>InitPlan 1 (returns "                                           \
    "$0)</Subplan-Name></Plan></Plans></Plan></Query></explain>\n"
    same(XML("a") XML("b"), job);
#define MAP(table)                                                                                 \
    "- Plan:\n    Node Type: Result\n    Total Cost: 3\n    One-Time Filter: $0\n    Plans:\n"     \
    "      - {Node Type: Seq Scan, Total Cost: 2, Parent Relationship: InitPlan, Relation "        \
    "Name: " table ", Subplan Name: InitPlan 1 (returns $0)}\n"
    same(MAP("a") MAP("b"), job);
}

/* What a label says, against the type, the table and the kind that it stands for. */
static void labels(void **state)
{
    static const struct {
        const char *label, *expected;
    } cases[] = {
        {"Parallel Index Only Scan Backward using i on s.\"a \"\"on b\" x",
         "Index Only Scan on a \"on b"},
        {"Finalize GroupAggregate", "Aggregate"},
        {"Insert on t", "ModifyTable on t"},
        {"Merge on t x", "ModifyTable on t"},
        {"Merge Full Join", "Merge Join"},
        {"Nested Loop Anti Join", "Nested Loop"},
        {"Function Scan on generate_series g", "Function Scan"},
        {"Bitmap Index Scan on i", "Bitmap Index Scan"},
        {"Bitmap Heap Scan on t", "Bitmap Heap Scan on t"},
        {"WorkTable Scan on w x", "WorkTable Scan on w"},
        {"Async Foreign Scan on f", "Foreign Scan on f"},
        {"Seq Scan on \" (cost=1..2\"", "Seq Scan on  (cost=1..2"},
        {"Custom Scan (on top)", "Custom Scan"},
        {"Custom Scan (a on b) on t x", "Custom Scan on t"},
        {"SetOp Except", "SetOp"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[400], expected[400];
        snprintf(text, sizeof text, "%s  (cost=0.00..1.00 rows=1 width=1)\n", cases[k].label);
        snprintf(expected, sizeof expected,
                 " {durations=estimated, 10.000 us a unit of cost}\nresource cpu in cores\n"
                 "p1*1 0.00001 cpu=1 {operators=%s}\n",
                 cases[k].expected);
        same(text, expected);
    }
    /* Hashed ones end a pipeline, sorted ones do not. */
    char *hashed = job_of("HashSetOp Except  (cost=0.00..1.00 rows=1 width=1)\n");
    assert_non_null(strstr(hashed, "p2*1"));
    free(hashed);
    hashed = job_of("Partial HashAggregate  (cost=0.00..1.00 rows=1 width=1)\n");
    assert_non_null(strstr(hashed, "p2*1"));
    free(hashed);
}

/* The larger of workers' memory counts; a sort on disk has none; and spaces come in any order. */
static void memory(void **state)
{
#define SORTED(lines)                                                                              \
    "Sort  (actual time=1.000..1.000 rows=5 loops=1)\n" lines                                      \
    "  ->  Seq Scan on a  (actual time=0.000..1.000 rows=5 loops=1)\n"
#define GIVES(mem) "\nresource cpu in cores\n" mem " {operators=Seq Scan on a, Sort}\n"
    char *job = job_of(SORTED("  Sort Method: quicksort  Memory: 20kB\n  Worker 0:  Sort Method: "
                              "quicksort  Memory: 30kB\n"
                              "  Worker 1:  Sort Method: external merge  Disk: 90kB\n"));
    assert_non_null(strstr(job, "p1*1 0.001 cpu=1 mem=4194304 "));
    free(job);
    job = job_of(SORTED("  Sort Method: external merge  Disk: 90kB\n"));
    assert_non_null(strstr(job, "mem=4194304 ")); /* it has filled its work_mem */
    free(job);
    job =
        job_of(SORTED("  Sort Method: external merge  Disk: 90kB\nSettings: work_mem = '64kB'\n"));
    assert_non_null(strstr(job, "mem=65536 "));
    free(job);
    job = job_of("[{\"Plan\": {\"Node Type\": \"Sort\", \"Actual Total Time\": 1, \"Actual "
                 "Loops\": 1, \"Workers\": [{\"Sort "
                 "Space Type\": \"Memory\", \"Sort Space Used\": 7}], \"Sort Space Type\": "
                 "\"Disk\", \"Sort Space Used\": 9}}]");
    assert_non_null(strstr(job, "mem=4194304"));
    free(job);
    /* Workers have times of their own, and a file may contradict itself. */
    job = job_of("[{\"Plan\": {\"Node Type\": \"Sort\", \"Actual Startup Time\": 9, \"Actual Total "
                 "Time\": 8, \"Actual Loops\": 1, "
                 "\"Workers\": [{\"Worker Number\": 0, \"Actual Total Time\": 99, \"Actual "
                 "Loops\": 7}], \"Plans\": ["
                 "{\"Node Type\": \"A\", \"Actual Total Time\": 5, \"Actual Loops\": 1}]}}]");
    assert_non_null(strstr(job, "p1*1 0.008 "));
    assert_non_null(strstr(job, "p2*1 0 "));
    free(job);
    job = job_of(
        "MixedAggregate  (actual time=1.0..1.0 rows=5 loops=1)\n  Batches: 1  Memory Usage: 24kB\n"
        "  Worker 0:  Batches: 1  Memory Usage: 40kB\n  Worker 1:  Batches: 1  Memory Usage: "
        "9kB\n");
    assert_non_null(strstr(job, "p1*1 0.001 cpu=1 mem=40960 "));
    assert_non_null(strstr(job, "p2*1"));
    free(job);
    job = job_of("Memoize  (actual time=1.0..1.0 rows=5 loops=1)\n  Hits: 1  Misses: 1  Memory "
                 "Usage: 3kB\n");
    assert_non_null(strstr(job, "mem=3072 "));
    free(job);
    job = job_of(SORTED("  Filter: (note = 'Memory Usage: 9kB')\n"));
    assert_null(strstr(job, "mem"));
    free(job);
}

static const struct {
    const char *text, *what;
} bad[] = {
    /* Truncated in the middle. */
    {"[{\"Plan\": {\"Node Type\": \"Sort\", \"Actual Total Time\": 1, \"Pl",
     "1:60: the text ends in the middle"},
    {"[{\"Plan\": {\"Node Type\": \"Sort\", \"Actual Total Time\": 1}", "ends in the middle"},
    {"- Plan: \n    Node Type: \"Sort", "this is no YAML"},
    {"<explain><Query><Plan><Node-Type>Sort</Node-Type>", "1:"},
    {"Limit  (cost=1.00..2.00 rows=1 width=4)\n  CTE x\n", "no plan follows on 'CTE x'"},
    /* Numbers that are none. */
    {"[{\"Plan\": {\"Node Type\": \"Sort\", \"Total Cost\": 1,\n\"Plan Rows\": -5}}]",
     "2:14: Plan Rows is '-5'"},
    {"[{\"Plan\": {\"Node Type\": \"Sort\", \"Total Cost\": \"NaN\"}}]",
     "Total Cost is 'NaN', which is no number"},
    {"[{\"Plan\": {\"Node Type\": \"Sort\", \"Actual Total Time\": \"inf\"}}]",
     "is 'inf', which is no time"},
    {"- Plan: \n    Node Type: \"Sort\"\n    Total Cost: -1\n", "3:17: Total Cost is '-1'"},
    {"Sort  (cost=0.00..nan rows=1 width=1)\n", "Total Cost is 'nan'"},
    {"Sort  (cost=0.00..1.00 rows=-1 width=1)\n", "Plan Rows is '-1'"},
    {"Sort  (cost=0.00..1.00 rows=1 width=1) (actual time=0.1..x rows=1 loops=1)\n",
     "is 'x', which is no time"},
    {"Sort  (cost=0.00..1.00 rows=1 wid\n", "are no figures of a node"},
    {"Sort  (cost=0.00..1.00 rows=1 width=1) (actual time=0.1..0.2 rows=1 loops=1) more\n",
     "'more' are no figures"},
    /* Arrows that fit nowhere. */
    {"Limit  (cost=1.00..2.00 rows=1 width=4)\n ->  Seq Scan on a  (cost=0.00..1.00 rows=1 "
     "width=4)\n",
     "2:2: it does not show what this node is below"},
    {"Limit  (cost=1.00..2.00 rows=1 width=4)\n    ->  Seq Scan on a  (cost=0.00..1.00 rows=1 "
     "width=4)\n",
     "2:5: it does not show"},
    {"Limit  (cost=1.00..2.00 rows=1 width=4)\n   ->  Seq Scan on a  (cost=0.00..1.00 rows=1 "
     "width=4)\n  ->  Seq Scan on b  (cost=0.00..1.00 rows=1 width=4)\n",
     "3:3: it does not show"},
    {"Limit  (cost=1.00..2.00 rows=1 width=4)\n  ->  Seq Scan on a\n",
     "2:3: the node has neither times nor costs"},
    {"Limit  (cost=1.00..2.00 rows=1 width=4)\n  CTE c\n  ->  Seq Scan on a  (cost=0.00..1.00 "
     "rows=1 width=4)\n",
     "3:3: it does not show"},
    /* Some with times, some without; two plans in a query; none. */
    {"Limit  (cost=1.00..2.00 rows=1 width=4) (actual time=0.1..0.2 rows=1 loops=1)\n"
     "  ->  Seq Scan on a  (cost=0.00..1.00 rows=1 width=4)\n",
     "2:3: the node 'Seq Scan' has no times"},
    {"   QUERY PLAN\n----------------\n Limit\n   ->  Seq Scan on a\n(2 rows)\n",
     "4:4: the node has neither times nor costs"},
    {"Limit  (actual rows=1 loops=1)\n", "the node 'Limit' has neither times nor costs"},
    {"[{\"Plan\": {\"Node Type\": \"A\", \"Total Cost\": 1}, \"Plan\": {\"Total Cost\": 1}}]",
     "the query has two plans"},
    {"[{\"Plan\": {\"Node Type\": \"A\", \"Total Cost\": 1}},\n{}]", "2:1: the query has no plan"},
    {"- Plan: [1]\n  Node Type: x\n", "expected a node"},
    {"- Plan: &a\n    Node Type: x\n    Plans: *a\n", "a plan has no aliases"},
    {"[{\"Plan\": {\"Node Type\": \"A\", \"Total Cost\": 1}, \"Settings\": {\"work_mem\": "
     "\"-1MB\"}}]",
     "work_mem is '-1MB'"},
    {"[{\"Plan\": {\"Node Type\": \"A\", \"Total Cost\": 1}, \"Settings\": {\"work_mem\": "
     "\"9999999TB\"}}]",
     "work_mem is '9999999TB'"},
    {"[{\"Plan\": {\"Node Type\": \"A\", \"Total Cost\": 1}, \"Settings\": "
     "{\"hash_mem_multiplier\": \"0\"}}]",
     "hash_mem_multiplier is '0'"},
};

static void damaged(void **state)
{
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        char *job = job_of(bad[k].text);
        if (!strstr(job, bad[k].what))
            fail_msg("%s\ngives\n%s\nand not\n%s", bad[k].text, job, bad[k].what);
        free(job);
    }
}

/* A profile of DuckDB's as 1.x writes it, and the same as 2.x does: a sort above a join of a CTE
 * with a table of 245,761 rows, which are three row groups; the CTE is a sum by groups of a table
 * of one. Times are of all threads. */
static const char duck1[] = "{\"latency\": 1.0, \"children\": [{\"operator_type\": "
                            "\"EXPLAIN_ANALYZE\", \"operator_timing\": 0, \"children\": [\n"
                            "{\"operator_timing\": 0, \"operator_type\": \"CTE\", \"extra_info\": "
                            "{\"CTE Name\": \"sums\", \"Table Index\": \"4\"},\n"
                            "\"children\": [{\"operator_timing\": 0.4, \"operator_type\": "
                            "\"HASH_GROUP_BY\", \"operator_cardinality\": 122881,\n"
                            "\"result_set_size\": 1600, \"extra_info\": {\"Groups\": \"#0\"}, "
                            "\"children\": [{\"operator_type\": \"TABLE_SCAN\",\n"
                            "\"operator_timing\": 0.1, \"operator_rows_scanned\": 122880, "
                            "\"extra_info\": {\"Text\": \"items\"}, \"children\": []}]}, {\n"
                            "\"operator_timing\": 0.3, \"operator_type\": \"ORDER_BY\", "
                            "\"result_set_size\": 5002, \"operator_cardinality\": 245760,\n"
                            "\"children\": [{\"operator_timing\": 0.6, \"operator_type\": "
                            "\"HASH_JOIN\", \"result_set_size\": 7000, \"children\": [\n"
                            "{\"operator_timing\": 0.9, \"operator_type\": \"TABLE_SCAN\", "
                            "\"operator_rows_scanned\": 245761, \"children\": [],\n"
                            "\"extra_info\": {\"Table\": \"memory.main.lines\"}}, "
                            "{\"operator_timing\": 0.05, \"operator_type\": \"CTE_SCAN\",\n"
                            "\"result_set_size\": 1200, \"operator_cardinality\": 100, "
                            "\"extra_info\": {\"CTE Index\": \"4\"}}]}]}]}]}]}";
static const char duck2[] =
    "{\"io\": {}, \"operator\": [{\"type\": \"RESULT_COLLECTOR\", \"timing\": 0, \"children\": [\n"
    "{\"children\": [{\"timing\": 0.4, \"type\": \"HASH_GROUP_BY\", \"intermediate_rows\": 122881, "
    "\"intermediate_size_bytes\": 1600,\n"
    "\"children\": [{\"type\": \"TABLE_SCAN\", \"timing\": 0.1, \"row_groups_scanned\": 1, "
    "\"rows_scanned\": 122880,\n"
    "\"extra_info\": {\"Table\": \"items\"}}]}, {\"timing\": 0.3, \"type\": \"ORDER_BY\", "
    "\"intermediate_size_bytes\": 5002,\n"
    "\"intermediate_rows\": 245760, \"children\": [{\"timing\": 0.6, \"type\": \"HASH_JOIN\", "
    "\"children\": [{\"timing\": 0.9,\n"
    "\"type\": \"TABLE_SCAN\", \"row_groups_scanned\": 3, \"rows_scanned\": 300000, "
    "\"extra_info\": {\"Table\": \"a.lines\"}},\n"
    "{\"timing\": 0.05, \"type\": \"CTE_SCAN\", \"intermediate_size_bytes\": 1200, "
    "\"intermediate_rows\": 100,\n"
    "\"extra_info\": {\"CTE Index\": \"4\"}}]}]}], \"timing\": 0, \"type\": \"CTE\",\n"
    "\"extra_info\": {\"CTE Name\": \"sums\", \"Table Index\": \"4\", \"Execution Mode\": "
    "\"x\"}}]}], \"query\": {\"sql\": \"x\"}}";

/* By hand: the scan and the sum's work are one pipeline (0.1 + 0.4 s), which keeps 1600 bytes, and
 * so does what reads it; the table of the join is 1200 bytes twice, as the scan gives them and as
 * it is built; the join has three tasks for 0.9 + 0.6 + 0.3 s, which share 1200 + 5002 bytes; what
 * gives the sums, or the sorted rows, has a task for each 122,880. */
static void duckdb(void **state)
{
    static const char job[] =
        "\nresource cpu in cores\nresource mem in bytes\n"
        "p1*1 0.05 cpu=1 mem=2400 {operators=CTE_SCAN on sums}\n"
        "p2*3 0.6 cpu=1 mem=2068 {operators=TABLE_SCAN on lines, HASH_JOIN, ORDER_BY}\n"
        "p3*1 0.5 cpu=1 mem=1600 {operators=TABLE_SCAN on items, HASH_GROUP_BY}\n"
        "p4*2 0 cpu=1 mem=800 {operators=result}\n"
        "p5*2 0 cpu=1 mem=2501 {operators=CTE on sums}\n"
        "p1 -> p2\np2 -> p5\np3 -> p4\np4 -> p1\n";
    same(duck1, job);
    same(duck2, job);
    static const char refused[][2][120] = {
        {"[{\"name\": \"X\", \"extra_info\": {}, \"children\": []}]",
         "1:1: this is a plan of DuckDB's that never ran"},
        {"{\"children\": [{\"operator_timing\": -1}]}",
         "1:35: the time of an operator is negative"},
        {"{\"children\": [\n{\"type\": \"X\", \"intermediate_rows\": 1}]}",
         "2:1: the operator 'X' has no time"},
        {"{\"children\": [{\"operator_timing\": NaN}]}", "1:35: "},
        {"{\"children\": [], \"x\": \"operator_timing\", \"operator_timing\": 1}",
         "1:1: the profile has no operators"},
        {"{\"children\": [{\"operator_timing\": 1, \"result_set_size\": -4}]}", "1:57: "},
        {"{\"children\": [{\"operator_timing\": 1, \"children\": [{", "ends in the middle"},
    };
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        char *found = job_of(refused[k][0]);
        if (!strstr(found, refused[k][1]))
            fail_msg("%s gives %s", refused[k][0], found);
        free(found);
    }
}

/* A CTE in a CTE, and the rows that a join for a correlated subquery keeps for the scans below it.
 */
static void duckdb_kept(void **state)
{
#define OP(type, info, children)                                                                   \
    "{\"operator_type\": \"" type "\", \"operator_timing\": 1, \"extra_info\": {" info             \
    "}, \"children\": [" children "]}"
    static const char text[] = "{\"children\": [" OP(
        "CTE", "\"Table Index\": \"1\"",
        OP("CTE", "\"Table Index\": \"2\"",
           OP("DUMMY_A", "",
              "") ", " OP("CTE_SCAN", "\"CTE Index\": \"2\"",
                          "")) ", " OP("LEFT_DELIM_JOIN", "\"Delim Index\": \"1\"",
                                       OP("CTE_SCAN", "\"CTE Index\": \"1\"", "") ", " OP(
                                           "HASH_JOIN", "",
                                           OP("COLUMN_X", "", "") ", " OP(
                                               "DELIM_SCAN", "\"Delim Index\": \"1\"", "")))) "]}";
    same(text, "\nresource cpu in cores\n"
               "p1*1 1 cpu=1 {operators=DELIM_SCAN on delim 1}\n"
               "p2*1 1 cpu=1 {operators=CTE_SCAN on 1}\n"
               "p3*1 2 cpu=1 {operators=DUMMY_A}\n"
               "p4*1 2 cpu=1 {operators=CTE_SCAN on 2, CTE}\n"
               "p5*1 3 cpu=1 {operators=COLUMN_X, HASH_JOIN, LEFT_DELIM_JOIN, CTE}\n"
               "p1 -> p5\np4 -> p2\np3 -> p4\np2 -> p1\n");
}

/* 10^4 of a kind inside each other: refused, by all forms, and quickly. */
static void deep(void **state)
{
    static const struct {
        const char *begin, *each, *what;
    } cases[] = {
        {"[{\"Plan\": {\"Node Type\": \"A\", \"Total Cost\": 1, ",
         "\"Plans\": [{\"Total Cost\": 1, ", "nodes are nested more than 250 deep"},
        {"[{\"Plan\": {\"Node Type\": \"A\", \"x\": ", "[", "'' is nested more than 30 deep"},
        {"[{\"Plan\": {\"Node Type\": \"A\", \"Total Cost\": 1}, \"Planning\": ", "[",
         "nested more than"},
        {"[{\"Plan\": {\"Node Type\": \"A\", \"Total Cost\": 1}, \"Triggers\": [{\"x\": ", "[",
         "expected a value"},
        {"- Plan:\n    Node Type: A\n    Plans: ", "[{Total Cost: 1, Plans: ",
         "nodes are nested more than 250 deep"},
        {"- Plan:\n    Node Type: A\n    x: ", "[", "'' is nested more than 30 deep"},
        {"{\"x\": \"operator_timing\", ", "\"children\": [{\"operator_timing\": 1, ",
         "nodes are nested more than 250 deep"},
        {"<explain><Query>", "<Plan><Plans>", "elements are nested too deeply"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char *text = malloc(strlen(cases[k].begin) + 10000 * strlen(cases[k].each) + 1);
        assert_non_null(text);
        char *to = text + sprintf(text, "%s", cases[k].begin);
        for (int n = 0; n < 10000; n++)
            to += sprintf(to, "%s", cases[k].each);
        char *job = job_of(text);
        if (!strstr(job, cases[k].what))
            fail_msg("%zu gives %s", k, job);
        free(job);
        free(text);
    }
    char *text = malloc(400 * 2600), *to = text;
    assert_non_null(text);
    to += sprintf(to, "A  (cost=0.00..1.00 rows=1 width=1)\n");
    for (int n = 0; n < 300; n++)
        to += sprintf(to, "%*s->  A  (cost=0.00..1.00 rows=1 width=1)\n", 2 + 6 * n, "");
    char *job = job_of(text);
    assert_non_null(strstr(job, "nodes are nested more than 250 deep"));
    free(job);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),       cmocka_unit_test(estimates), cmocka_unit_test(several),
        cmocka_unit_test(readers),     cmocka_unit_test(labels),    cmocka_unit_test(memory),
        cmocka_unit_test(damaged),     cmocka_unit_test(deep),      cmocka_unit_test(duckdb),
        cmocka_unit_test(duckdb_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
