/* Texts that readers refuse: the status, the line, and a part of the message, one row each. */
#include "tests/parsers/parse_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define JOB(body) "<job xmlns=\"urn:bigrocks:job:1\">\n" body "</job>\n"
#define CLUSTER(body) "<cluster xmlns=\"urn:bigrocks:cluster:1\">\n" body "</cluster>\n"
#define SM(header, precedence, requests, rest)                                                     \
    "file with basedata : x\njobs (incl. supersource/sink ): 2\n" header                           \
    "PRECEDENCE RELATIONS:\njobnr. #modes #successors successors\n" precedence                     \
    "REQUESTS/DURATIONS:\njobnr. mode duration R 1\n-----\n" requests rest

struct bad {
    const char *text;
    uint32_t line;
    const char *what;
};

static const struct bad xml[] = {
    /* Not XML, or not whole */
    {"<job xmlns=\"urn:bigrocks:job:1\">\n<stage id=\"a\"", 2, "attributes construct error"},
    {"<job xmlns=\"urn:bigrocks:job:1\">\n<stage id=\"a\"/>\n", 3, "Premature end of data"},
    {JOB("<stage id=\"a\"></edge>"), 2, "tag mismatch"},
    {JOB("<stage id=a/>"), 2, "AttValue"},
    {JOB("<stage id=\"a\" id=\"b\"/>"), 2, "redefined"},
    {JOB("<stage id=\"&nothing;\"/>"), 2, "nothing"},
    {JOB("<stage id=\"a<b\"/>"), 2, "'<' not allowed"},
    {JOB("<stage id=\"a\"/>") "more", 3, "Extra content"},
    {JOB("<stage id=\"a\x01\"/>"), 2, "invalid character"},
    {JOB("<stage id=\"&#0;\"/>"), 2, "xmlChar value 0"},
    {JOB("<stage id=\"\xff\xfe\"/>"), 2, "does not fit its encoding"},
    {JOB("\n<!-- \xc3( -->"), 3, "does not fit its encoding"},
    {"<?xml version=\"1.0\" encoding=\"klingon\"?>" JOB("<stage id=\"a\"/>"), 1, "klingon"},
    /* Entities and what else a document type may bring */
    {"<!DOCTYPE job [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n" JOB("<stage id=\"&b;\"/>"), 1,
     "document type declarations are refused"},
    {"\n<!DOCTYPE job SYSTEM \"http://127.0.0.1:1/x.dtd\">\n" JOB("<stage id=\"a\"/>"), 2,
     "document type declarations are refused"},
    {"\n\n<!DOCTYPE job [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>" JOB("<stage id=\"&e;\"/>"), 3,
     "document type declarations are refused"},
    /* Not our form */
    {"<job/>", 1, "no namespace"},
    {"<job xmlns=\"urn:bigrocks:job:2\"><stage id=\"a\"/></job>", 1,
     "unknown namespace 'urn:bigrocks:job:2'"},
    {"<b:job xmlns:b=\"urn:bigrocks:job:1\">\n<stage id=\"a\"/></b:job>", 2,
     "not in the namespace of <job>"},
    {JOB("<stage id=\"a\" durations=\"1\"/>"), 2, "<stage> has an unknown attribute 'durations'"},
    {JOB("<stage id=\"a\" task=\"5\"/>"), 2, "<stage> has an unknown attribute 'task'"},
    {JOB("<stage id=\"a\"/>\n<edge from=\"a\" too=\"a\"/>"), 3, "unknown attribute 'too'"},
    {JOB("<stage id=\"a\"/>\n<egde from=\"a\" to=\"a\"/>"), 3, "unknown element <egde> in <job>"},
    {JOB("<stage id=\"a\">\n<demands/></stage>"), 3, "unknown element <demands> in <stage>"},
    {JOB("<stage id=\"a\">\n<demand resource=\"a\" amount=\"1\">\n<b/></demand></stage>"), 4,
     "unknown element <b> in <demand>"},
    {JOB("<stage id=\"a\">\n<edge from=\"a\" to=\"a\"/></stage>"), 3,
     "<edge> cannot stand in <stage>"},
    {JOB("<stage id=\"a\"/>\n<demand resource=\"cpu\" amount=\"1\"/>"), 3,
     "<demand> cannot stand in <job>"},
    {JOB("<stage id=\"a\"/>\n<note xmlns=\"\"/>"), 3, "unknown element <note> in <job>"},
    {JOB("<stage id=\"a\"/>\n<b:note xmlns:b=\"urn:bigrocks:plan:1\"/>"), 3,
     "unknown element <note> in <job>"},
    {JOB("\n<b:stage xmlns:b=\"urn:bigrocks:plan:1\" id=\"a\"/>"), 3,
     "<stage> is in the namespace 'urn:bigrocks:plan:1'"},
    {JOB("<b:stage xmlns:b=\"urn:bigrocks:job:1\" id=\"a\" b:duration=\"1\"/>"), 2,
     "<stage> has an attribute 'duration' in the namespace 'urn:bigrocks:job:1'"},
    {JOB("<stage id=\"a\">\n<command>x<b/></command></stage>"), 3,
     "unknown element <b> in <command>"},
    {JOB("<stage id=\"a\">\n echo this \n</stage>"), 3, "text is not allowed here: 'echo this '"},
    {JOB("<stage id=\"a\"><![CDATA[x]]></stage>"), 2, "text is not allowed here: 'x'"},
    {JOB("<stage id=\"a\"/>\n<cluster>\n<machines/></cluster>"), 4,
     "unknown element <machines> in <cluster>"},
    {"<job xmlns=\"urn:bigrocks:job:1\" duration=\"1\"><stage id=\"a\"/></job>", 1,
     "<job> has an unknown attribute 'duration'"},
    {"<job xmlns=\"urn:bigrocks:job:1\" shell=\"yes\"><stage id=\"a\"/></job>", 1,
     "<job> has shell=\"yes\""},
    {JOB(""), 0, "the job is empty"},
    {JOB("<resource name=\"cpu\"/>"), 0, "the job is empty"},
    /* Stages */
    {JOB("<stage/>"), 2, "<stage> has no attribute 'id'"},
    {JOB("<stage id=\"\"/>"), 2, "no id"},
    {JOB("<stage id=\"a\"/>\n<stage id=\"a\"/>"), 3, "'a' is there twice, first in line 2"},
    {JOB("<stage id=\"a\" tasks=\"0\"/>"), 2, "no tasks"},
    {JOB("<stage id=\"a\" tasks=\"-1\"/>"), 2, "tasks '-1' of stage 'a' is not a whole number"},
    {JOB("<stage id=\"a\" tasks=\"1e9\"/>"), 2, "tasks '1e9'"},
    {JOB("<stage id=\"a\" tasks=\"1.0\"/>"), 2, "tasks '1.0'"},
    {JOB("<stage id=\"a\" tasks=\"\"/>"), 2, "tasks ''"},
    {JOB("<stage id=\"a\" tasks=\"abc\"/>"), 2, "tasks 'abc'"},
    {JOB("<stage id=\"a\" tasks=\"0x10\"/>"), 2, "tasks '0x10'"},
    {JOB("<stage id=\"a\" tasks=\"20000001\"/>"), 2, "the most that are planned"},
    {JOB("<stage id=\"a\" tasks=\"4294967296\"/>"), 2, "too large"},
    {JOB("<stage id=\"a\" tasks=\"18446744073709551617\"/>"), 2, "too large"},
    {JOB("<stage id=\"a\" tasks=\"20000000\"/>\n<stage id=\"b\"/>"), 3,
     "the most that are planned"},
    /* Durations */
    {JOB("<stage id=\"a\" duration=\"-1\"/>"), 2, "duration '-1' of stage 'a' is negative"},
    {JOB("<stage id=\"a\" duration=\"nan\"/>"), 2, "not a number"},
    {JOB("<stage id=\"a\" duration=\"NaN\"/>"), 2, "not a number"},
    {JOB("<stage id=\"a\" duration=\"inf\"/>"), 2, "not a number"},
    {JOB("<stage id=\"a\" duration=\"-Infinity\"/>"), 2, "not a number"},
    {JOB("<stage id=\"a\" duration=\"1e400\"/>"), 2, "too large"},
    {JOB("<stage id=\"a\" duration=\"9300000000\"/>"), 2, "too large"},
    {JOB("<stage id=\"a\" duration=\"1,5\"/>"), 2, "not a number"},
    {JOB("<stage id=\"a\" duration=\"1 s\"/>"), 2, "not a number"},
    {JOB("<stage id=\"a\" duration=\"0x1p3\"/>"), 2, "not a number"},
    {JOB("<stage id=\"a\" duration=\"\"/>"), 2, "not a number"},
    {JOB("<stage id=\"a\" tasks=\"2\">\n<task index=\"2\" duration=\"1\"/></stage>"), 3,
     "there is none with index 2"},
    {JOB("<stage id=\"a\" tasks=\"2\">\n<task index=\"-1\" duration=\"1\"/></stage>"), 3,
     "index '-1'"},
    {JOB("<stage id=\"a\" tasks=\"2\">\n<task duration=\"1\"/></stage>"), 3,
     "<task> has no attribute 'index'"},
    {JOB("<stage id=\"a\" tasks=\"2\">\n<task index=\"0\" duration=\"-0.5\"/></stage>"), 3,
     "negative"},
    /* Demands and resources */
    {JOB("<stage id=\"a\">\n<demand amount=\"1\"/></stage>"), 3, "names no resource"},
    {JOB("<stage id=\"a\">\n<demand resource=\"cpu\"/></stage>"), 3, "not a number"},
    {JOB("<stage id=\"a\">\n<demand resource=\"cpu\" amount=\"-1\"/></stage>"), 3, "negative"},
    {JOB("<stage id=\"a\">\n<demand resource=\"cpu\" amount=\"inf\"/></stage>"), 3, "not a number"},
    {JOB("<stage id=\"a\">\n<demand resource=\"cpu\" amount=\"2kib\"/></stage>"), 3,
     "not a number"},
    {JOB("<stage id=\"a\">\n<demand resource=\"cpu\" amount=\"1e19\"/></stage>"), 3,
     "too many digits"},
    {JOB("<stage id=\"a\">\n<demand resource=\"cpu\" amount=\"1234567890123456789\"/></stage>"), 3,
     "too many digits"},
    {JOB("<stage id=\"a\"><demand resource=\"cpu\" amount=\"1\"/>\n"
         "<demand resource=\"cpu\" amount=\"1\"/></stage>"),
     3, "demands cpu twice"},
    {JOB("<resource name=\"cpu\"/>\n<resource name=\"cpu\"/>"), 3, "declared twice"},
    {JOB("<resource unit=\"x\"/>"), 2, "no name"},
    {JOB("<stage id=\"a\"><command>x</command>\n<command>y</command></stage>"), 3, "two commands"},
    {JOB("<stage id=\"a\">\n<attribute name=\"x\"/></stage>"), 3,
     "<attribute> has no attribute 'value'"},
    /* Edges */
    {JOB("<stage id=\"a\"/>\n<edge from=\"a\" to=\"b\"/>"), 3, "names a stage 'b'"},
    {JOB("\n<edge from=\"b\" to=\"a\"/>\n<stage id=\"a\"/>"), 3, "names a stage 'b'"},
    {JOB("<stage id=\"a\"/>\n<edge from=\"a\"/>"), 3, "<edge> has no attribute 'to'"},
    {JOB("<stage id=\"a\"/>\n<edge to=\"a\"/>"), 3, "<edge> has no attribute 'from'"},
    {JOB("<stage id=\"a\"/><stage id=\"b\"/>\n<edge from=\"a\" to=\"b\" type=\"maybe\"/>"), 3,
     "unknown type 'maybe'"},
    {JOB("<stage id=\"a\" tasks=\"2\"/><stage id=\"b\" tasks=\"3\"/>\n"
         "<edge from=\"a\" to=\"b\" type=\"one-to-one\"/>"),
     3, "joins 'a' with 2 tasks and 'b' with 3"},
    {JOB("<stage id=\"a\" tasks=\"2\"/>\n<edge from=\"a\" to=\"a\"/>"), 3,
     "cycle of 1 task: a[0] -> a[0]"},
    {JOB("<stage id=\"a\"/><stage id=\"b\" tasks=\"2\"/><stage id=\"c\"/>\n"
         "<edge from=\"a\" to=\"b\"/>\n<edge from=\"b\" to=\"c\"/>\n<edge from=\"c\" to=\"a\"/>"),
     3, "cycle of 3 tasks: b[0] -> c -> a -> b[0]"},
    {JOB("<stage id=\"z\"/>\n<edge from=\"b\" to=\"a\"/>\n<edge from=\"a\" to=\"b\"/>"
         "<edge from=\"z\" to=\"a\"/><stage id=\"a\"/><stage id=\"b\"/>"),
     4, "cycle of 2 tasks: "},
    /* Outputs and times */
    {JOB("<stage id=\"a\">\n<output resource=\"mem\" amount=\"1\"/></stage>"), 3,
     "<output> has no attribute 'id'"},
    {JOB("<stage id=\"a\">\n<output id=\"x y\" resource=\"mem\" amount=\"1\"/></stage>"), 3,
     "has the id 'x y'"},
    {JOB("<stage id=\"a\">\n<output id=\"x\" amount=\"1\"/></stage>"), 3, "names no resource"},
    {JOB("<stage id=\"a\">\n<output id=\"x\" resource=\"mem\"/></stage>"), 3,
     "output 'x' of stage 'a' has '' of mem"},
    {JOB("<stage id=\"a\">\n<output id=\"x\" resource=\"mem\" amount=\"-1\"/></stage>"), 3,
     "negative"},
    {JOB("<stage id=\"a\">\n"
         "<output id=\"x\" resource=\"mem\" amount=\"1\" from=\"begin\"/></stage>"),
     3, "from 'begin' of output 'x' of stage 'a' is neither start nor end"},
    {JOB("<stage id=\"a\">\n"
         "<output id=\"x\" resource=\"mem\" amount=\"1\" keep=\"true\"/></stage>"),
     3, "keep 'true' of output 'x' of stage 'a' is neither yes nor no"},
    {JOB("<stage id=\"a\">\n"
         "<output id=\"x\" resource=\"mem\" amount=\"1\" reads=\"a\"/></stage>"),
     3, "unknown attribute 'reads'"},
    {JOB("<stage id=\"a\"><output id=\"x\" resource=\"mem\" amount=\"1\"/>\n"
         "<output id=\"x\" resource=\"cpu\" amount=\"1\"/></stage>"),
     3, "two outputs 'x'"},
    {JOB("<output id=\"x\" resource=\"mem\" amount=\"1\"/>"), 2, "<output> cannot stand in <job>"},
    {JOB("<stage id=\"a\"/><stage id=\"b\"/>\n<edge from=\"a\" to=\"b\" reads=\"x\"/>"), 3,
     "reads 'x', which 'a' does not make"},
    {JOB("<edge from=\"a\" to=\"b\" reads=\"x\"/>\n<stage id=\"a\"/>"
         "<stage id=\"b\"><output id=\"x\" resource=\"mem\" amount=\"1\"/></stage>"),
     2, "reads 'x', which 'a' does not make"},
    {JOB("<stage id=\"a\"/>\n<edge from=\"a\" to=\"a\" lag=\"soon\"/>"), 3,
     "lag 'soon' of the edge from 'a' to 'a' is not a number"},
    {JOB("<stage id=\"a\"/>\n<edge from=\"a\" to=\"a\" lag=\"-1\"/>"), 3, "negative"},
    {JOB("<stage id=\"a\"/>\n<edge from=\"a\" to=\"a\" stream=\"1\"/>"), 3,
     "stream '1' of the edge from 'a' to 'a' is neither yes nor no"},
    {JOB("<stage id=\"a\"/><stage id=\"b\"/><edge from=\"a\" to=\"b\" reads=\"\"/>\n"
         "<edge from=\"a\" to=\"b\"/>"),
     3, "two edges go from 'a' to 'b', and one of them has reads, lag or stream"},
    {JOB("<edge from=\"a\" to=\"b\" stream=\"yes\"/>\n<edge from=\"a\" to=\"b\"/>"
         "<stage id=\"a\"/><stage id=\"b\"/>"),
     3, "two edges go from 'a' to 'b'"},
    {JOB("<stage id=\"a\"/><stage id=\"b\"/><edge from=\"a\" to=\"b\"/>\n"
         "<edge from=\"a\" to=\"b\" lag=\"1\"/>"),
     3, "two edges go from 'a' to 'b'"},
    {JOB("<stage id=\"a\" release=\"-1\"/>"), 2, "release '-1' of stage 'a' is negative"},
    {JOB("<stage id=\"a\">\n<task index=\"0\" deadline=\"noon\"/></stage>"), 3,
     "deadline 'noon' of a task of 'a' is not a number"},
    {JOB("<stage id=\"a\">\n<task release=\"1\"/></stage>"), 3, "<task> has no attribute 'index'"},
    {JOB("<stage id=\"a\">\n<task index=\"1\" release=\"1\"/></stage>"), 3, "none with index 1"},
    {JOB("<stage id=\"a\">\n<task index=\"4294967295\" release=\"1\"/></stage>"), 3, "too large"},
    {JOB("<stage id=\"z\"/>\n<stage id=\"a\" duration=\"2\" release=\"5\" deadline=\"4.9\"/>"), 3,
     "task a starts at 5 s at the earliest, but has to end by 4.9 s"},
    /* A cluster in it */
    {JOB("<stage id=\"a\"/>\n<cluster xmlns=\"urn:bigrocks:cluster:1\">\n<unavailable from=\"3\" "
         "to=\"2\"/><machine class=\"m\"/></cluster>"),
     4, "lasts from 3 s to 2 s"},
    {JOB("<stage id=\"a\"/>\n<cluster xmlns=\"urn:bigrocks:cluster:1\"/>"), 3, "no machines"},
    {JOB("<cluster><machine class=\"m\"/></cluster>\n<cluster/>"), 3, "two clusters"},
};

static const struct bad cluster[] = {
    {"", 1, "the document is empty"},
    {"<cluster>\n</cluster>", 1, "namespace ''"},
    {"<job xmlns=\"urn:bigrocks:job:1\"/>", 1, "not <cluster>"},
    {CLUSTER(""), 2, "no machines"},
    {CLUSTER("<machine class=\"m\" counts=\"2\"/>"), 2, "unknown attribute 'counts'"},
    {CLUSTER("<machine class=\"m\"/>\n<machin class=\"n\"/>"), 3,
     "unknown element <machin> in <cluster>"},
    {CLUSTER("<capacity resource=\"cpu\" amount=\"1\"/>"), 2,
     "<capacity> cannot stand in <cluster>"},
    {CLUSTER("<machine class=\"m\">\n<demand resource=\"cpu\" amount=\"1\"/></machine>"), 3,
     "unknown element <demand> in <machine>"},
    {CLUSTER("<machine class=\"m\">cpu=1</machine>"), 2, "text is not allowed here: 'cpu=1'"},
    {CLUSTER("<machine count=\"1\"/>"), 2, "no class"},
    {CLUSTER("<machine class=\"\"/>"), 2, "no name"},
    {CLUSTER("<machine class=\"m\" count=\"0\"/>"), 2, "no machines"},
    {CLUSTER("<machine class=\"m\" count=\"-4\"/>"), 2, "count '-4'"},
    {CLUSTER("<machine class=\"m\" count=\"1000001\"/>"), 2, "the most that are planned"},
    {CLUSTER("<machine class=\"m\"/>\n<machine class=\"m\"/>"), 3, "twice"},
    {CLUSTER("<machine class=\"m\">\n<capacity resource=\"cpu\" amount=\"nan\"/></machine>"), 3,
     "not a number"},
    {CLUSTER("<machine class=\"m\">\n<capacity resource=\"cpu\" amount=\"-1\"/></machine>"), 3,
     "negative"},
    {CLUSTER("<machine class=\"m\">\n<capacity amount=\"1\"/></machine>"), 3, "names no resource"},
    /* Shared resources and windows */
    {CLUSTER("<shared resource=\"l\" amount=\"5\"/>"), 2, "no machines"},
    {CLUSTER("<shared resource=\"l\"/>"), 2, "'' of l, which is not a number"},
    {CLUSTER("<shared amount=\"1\"/>"), 2, "names no resource"},
    {CLUSTER("<shared resource=\"l\" amount=\"5\"/>\n<shared resource=\"l\" amount=\"5\"/>"), 3,
     "shared twice"},
    {CLUSTER("<shared resource=\"l\" amount=\"5\"/><machine class=\"m\">\n"
             "<capacity resource=\"l\" amount=\"1\"/></machine>"),
     3, "l is shared by all machines"},
    {CLUSTER("<machine class=\"m\"><capacity resource=\"l\" amount=\"1\"/></machine>\n"
             "<shared resource=\"l\" amount=\"5\"/>"),
     3, "l is shared by all machines"},
    {CLUSTER("<machine class=\"m\"/><shared resource=\"l\" amount=\"5\">\n"
             "<capacity resource=\"c\" amount=\"1\"/></shared>"),
     3, "<capacity> cannot stand in <shared>"},
    {CLUSTER("\n<unavailable class=\"m\" from=\"2\" to=\"2\"/>\n<machine class=\"m\"/>"), 3,
     "lasts from 2 s to 2 s"},
    {CLUSTER("<unavailable class=\"n\"/>\n<machine class=\"m\"/>"), 2,
     "<unavailable> names a class 'n', which the cluster does not have"},
    {CLUSTER("<unavailable index=\"0\"/>\n<machine class=\"m\"/>"), 2, "no class"},
    {CLUSTER("<unavailable class=\"m\" index=\"2\"/>\n<machine class=\"m\" count=\"2\"/>"), 2,
     "none with index 2"},
    {CLUSTER("<unavailable class=\"m\" index=\"4294967295\"/>\n<machine class=\"m\"/>"), 2,
     "too large"},
    {CLUSTER("<unavailable from=\"soon\"/>\n<machine class=\"m\"/>"), 2,
     "from 'soon' of a time without machines"},
    {CLUSTER("<unavailable resource=\"cpu\"/>"), 2, "unknown attribute 'resource'"},
    {CLUSTER("<change amount=\"1\"/>"), 2, "a <change> has no resource"},
    {CLUSTER("<change resource=\"cpu\"/>"), 2, "a <change> has no amount"},
    {CLUSTER("<machine class=\"m\"/>\n<change resource=\"cpu\" amount=\"1\"/>"), 3,
     "cpu is not shared"},
    {CLUSTER("<change class=\"m\" resource=\"cpu\" amount=\"1\"/><machine class=\"m\"/>"), 2,
     "class 'm', which do not have it"},
    {CLUSTER("<change class=\"m\" resource=\"cpu\" amount=\"x\"/><machine class=\"m\"/>"), 2,
     "a change of cpu has 'x' of cpu"},
    {CLUSTER("<machine class=\"m\"><capacity resource=\"c\" amount=\"1\"/>\n"
             "<capacity resource=\"c\" amount=\"1\"/></machine>"),
     3, "twice"},
};

static const struct bad dot[] = {
    {"digraph {", 1, "syntax error"},
    {"digraph {\n a [tasks=1\n b }", 3, "syntax error near '}'"},
    {"digraph {\n a -> }", 2, "syntax error"},
    {"digraph {\n a [x=\"open]\n}\n", 2, "has no end"},
    {"digraph {\n a [x=<<b>open]\n}\n", 2, "has no end"},
    {"digraph { a }\n}", 2, "text follows the closing brace"},
    {"digraph { a }\n/* open\n", 2, "has no end"},
    {"digraph { a }\ndigraph { b }", 2, "more than one graph"},
    {"digraph { subgraph { a } }\n# end\nstrict graph { b }", 3, "more than one graph"},
    {"digraph { a -> }\ndigraph { b }", 1, "syntax error"},
    {"graph { a -- b }", 0, "not directed"},
    {"digraph { }", 0, "the job is empty"},
    {"digraph {\n a [tasks=0] }", 2, "no tasks"},
    {"digraph {\n b; a [tasks=\"-1\"] }", 2, "tasks '-1' of node 'a'"},
    {"digraph {\n a [tasks=1.5] }", 2, "tasks '1.5'"},
    {"digraph {\n\n a [duration=\"nan\"] }", 3, "not a number"},
    {"digraph {\n a [duration=-3] }", 2, "negative"},
    {"digraph {\n a [duration=\"1e300\"] }", 2, "too large"},
    {"digraph { graph [resources=cpu];\n a [cpu=\"x\"] }", 2, "cpu 'x' of node 'a'"},
    {"digraph { graph [resources=cpu];\n a [cpu=-1] }", 2, "negative"},
    {"digraph { graph [resources=\"cpu,cpu\"]; a }", 0, "declared twice"},
    {"digraph { graph [resources=tasks]; a }", 0, "cannot be named 'tasks'"},
    {"digraph { graph [resources=\"a,b\" units=\"x,y,z\"]; a }", 0, "more units than"},
    {"digraph {\n a [tasks=3 durations=\"1:2,2\"] }", 2, "durations '2' of node 'a'"},
    {"digraph {\n a [tasks=3 durations=\"1:2,x:2\"] }", 2, "index 'x' of node 'a'"},
    {"digraph {\n a [tasks=3 durations=\"1:\"] }", 2, "duration '' of node 'a'"},
    {"digraph {\n a [tasks=3 durations=\"3:1\"] }", 2, "there is none with index 3"},
    {"digraph {\n a [tasks=3 durations=\"1:1,\"] }", 2, "durations '' of node 'a'"},
    {"digraph {\n \"\" [tasks=2] }", 2, "no id"},
    {"digraph {\n \"a\1b\" [tasks=2] }", 2, "control characters"},
    {"digraph { a;\n a -> b [type=\"each\"] }", 2, "unknown type 'each'"},
    {"digraph { a [tasks=2];\n b [tasks=3];\n a -> b [type=\"one-to-one\"] }", 3, "2 tasks"},
    /* Outputs and times, in graphs that declare resources */
    {"digraph { resources=mem;\n a [outputs=\"x mem\"] }", 2, "outputs 'x mem' of node 'a'"},
    {"digraph { resources=mem;\n a [outputs=\" \"] }", 2, "outputs ' ' of node 'a'"},
    {"digraph { resources=mem;\n a [outputs=\"x mem 1 late\"] }", 2, "are no list"},
    {"digraph { resources=mem;\n a [outputs=\"x mem many\"] }", 2, "'many' of mem"},
    {"digraph { resources=mem;\n a [outputs=\"x mem 1, x mem 2\"] }", 2, "two outputs 'x'"},
    {"digraph { resources=mem;\n a [outputs=\"- mem 1\"] }", 2, "called '-'"},
    {"digraph { resources=mem;\n a [\"free x\"=rm] }", 2, "no output 'x'"},
    {"digraph { resources=outputs; a }", 0, "cannot be named 'outputs'"},
    {"digraph { resources=mem;\n a [release=\"-1\"] }", 2, "release '-1' of node 'a' is negative"},
    {"digraph { resources=mem;\n a [deadlines=\"5\"] }", 2, "deadlines '5' of node 'a'"},
    {"digraph { resources=mem;\n a [releases=\"1:5\"] }", 2, "none with index 1"},
    {"digraph { resources=mem;\n a [releases=\"4294967295:5\"] }", 2, "too large"},
    {"digraph { resources=mem;\n a [release=3 deadline=2] }", 2, "has to end by 2 s"},
    {"digraph { resources=mem; a;\n a -> b [reads=x] }", 2, "reads 'x', which 'a' does not make"},
    {"digraph { resources=mem; a;\n a -> b [lag=soon] }", 2, "lag 'soon' of the edge"},
    {"digraph { resources=mem; a;\n a -> b [stream=true] }", 2, "is neither yes nor no"},
    {"digraph { resources=mem; a;\n a -> b [lag=1]\n a -> b }", 2, "two edges go from 'a' to 'b'"},
    {"digraph { a -> b\n b -> c\n c -> a }", 1, "cycle of 3 tasks: b -> c -> a -> b"},
    {"digraph { a -> { b c }\n { b c } -> a }", 1, "cycle of 2 tasks: "},
    {"digraph {\n a [size=\"-5\"] }", 2, "size '-5'"},
    {"digraph {\n a [size=\"five\"] }", 2, "size 'five'"},
    {"digraph {\n a [size=\"1e30\"] }", 2, "negative or too large"},
    {"digraph {\n a\xff }", 2, "not valid UTF-8"},
};

static const struct bad dax[] = {
    {"<adag>\n<job id=\"a\">", 2, "Premature end"},
    {"<adag/>", 0, "the job is empty"},
    {"<adag>\n<job/></adag>", 2, "a <job> has no id"},
    {"<adag>\n<job id=\"a\"/>\n<job id=\"a\"/></adag>", 3, "twice, first in line 2"},
    {"<adag>\n<job id=\"a\" runtime=\"-2\"/></adag>", 2, "runtime '-2' of job 'a' is negative"},
    {"<adag>\n<job id=\"a\" runtime=\"inf\"/></adag>", 2, "not a number"},
    {"<adag>\n<job id=\"a\" cores=\"many\"/></adag>", 2, "cores 'many' of job 'a'"},
    {"<adag>\n<job id=\"a\" cores=\"-1\"/></adag>", 2, "negative"},
    {"<adag>\n<job id=\"a\">\n<profile namespace=\"pegasus\" key=\"runtime\">soon</profile>"
     "</job></adag>",
     3, "runtime 'soon'"},
    {"<adag>\n<job id=\"a\"/>\n<child ref=\"a\"><parent ref=\"b\"/></child></adag>", 3,
     "names a job 'b'"},
    {"<adag>\n<job id=\"a\"/>\n<child ref=\"c\"><parent ref=\"a\"/></child></adag>", 3,
     "names a job 'c'"},
    {"<adag>\n<job id=\"a\"/>\n<child><parent ref=\"a\"/></child></adag>", 3, "has no ref"},
    {"<adag>\n<job id=\"a\"/>\n<child ref=\"a\"><parent/></child></adag>", 3, "has no ref"},
    {"<adag><job id=\"a\"/><job id=\"b\"/>\n<child ref=\"a\"><parent ref=\"b\"/></child>\n"
     "<child ref=\"b\"><parent ref=\"a\"/></child></adag>",
     3, "cycle of 2 tasks: "},
    {"<adag><job id=\"a\"><uses file=\"f\" link=\"output\"/></job>\n"
     "<job id=\"b\"><uses file=\"f\" link=\"input\"/></job>\n"
     "<child ref=\"a\"><parent ref=\"b\"/></child></adag>",
     2, "cycle of 2 tasks: "},
    {"<!DOCTYPE adag [<!ENTITY a \"b\">]><adag><job id=\"&a;\"/></adag>", 1,
     "document type declarations are refused"},
};

static const struct bad psplib[] = {
    {SM("- renewable : 1 R\n- nonrenewable : 2 N\n", "", "", ""), 10, "REQUESTS lists 0"},
    {SM("- doubly constrained : 1 D\n", "", "", ""), 3, "doubly constrained"},
    {SM("projects : 2\n", "", "", ""), 3, "2 projects"},
    {SM("- renewable : x R\n", "", "", ""), 3, "is 'x', which is not a whole number"},
    {SM("", "1 3 1 2\n", "", ""), 9, "REQUESTS lists 0"},
    {SM("", "1 0 1 2\n", "", ""), 5, "job 1 has no modes"},
    {SM("", "1 3 1 2\n", "1 1 5 1\n", ""), 9, "how many renewable resources"},
    {SM("- renewable : 1 R\n", "1 2 1 2\n2 1 0\n", "1 1 5 1\n1 5 1\n2 1 0 0\n", ""), 12,
     "two alternatives '1'"},
    {SM("", "1 1 2 2\n", "", ""), 5, "the line ends before successor 2 of 2"},
    {SM("", "1 1 1 2 2\n", "", ""), 5, "more in the line"},
    {SM("", "1 1 1 -2\n", "", ""), 5, "'-2'"},
    {SM("", "1 1 1 3\n", "1 1 5 1\n2 1 5 1\n", "RESOURCEAVAIL:\n 4\n"), 5, "there is no job 3"},
    {SM("", "1 1 1 2\n2 1 1 1\n", "1 1 5 1\n2 1 5 1\n", "RESOURCEAVAIL:\n 4\n"), 5,
     "cycle of 2 tasks: "},
    {SM("", "", "1 1 x 1\n", ""), 8, "the duration of job 1 is 'x'"},
    {SM("", "", "1 1 99999999999 1\n", ""), 8, "too large"},
    {SM("- renewable : 2 R\n", "", "1 1 5 1\n", ""), 9, "the line ends before the demand of job 1"},
    {SM("", "", "1 1 5 1\n1 1 5 1\n", ""), 9, "twice"},
    {SM("", "", "1 1 5 1\n", "RESOURCEAVAIL:\n 4\n"), 11, "REQUESTS lists 1"},
    {SM("", "", "1 1 5 1\n2 1 5 1\n", ""), 10, "RESOURCEAVAILABILITIES is missing"},
    {SM("- renewable : 2 R\n", "", "1 1 5 1 1\n2 1 5 1 1\n", "RESOURCEAVAIL:\n 4\n"), 12,
     "1 capacities for 2 resources"},
};

static const struct bad patterson[] = {
    {"3", 1, "the file ends before the number of resources"},
    {"0 0", 0, "the job is empty"},
    {"1 1\n5\n", 3, "the file ends before the duration of job 1"},
    {"1 1\n5\n7 2 1", 3, "the file ends before a successor of job 1"},
    {"1 1\n5\n7 2 1 2", 3, "there is no job 2"},
    {"1 1\n5\n7 2 0\n9", 4, "there is more after the last of 1 jobs"},
    {"1 1\n5\n-7 2 0", 3, "'-7'"},
    {"2 1\n5\n7 2 1 2\n7 2 1 1", 3, "cycle of 2 tasks: "},
    {"1 4000000000\n5\n", 3, "the file ends before the capacity of R2"},
    {"4000000000 1\n5\n7 2 0\n", 4, "the file ends before the duration of job 2"},
};

static const struct bad unknown[] = {
    {"", 0, "the file is empty"},
    {" \n\t\n", 0, "the file is empty"},
    {"hello\n", 1, "not known"},
    {"{\"format\": \"bigrocks-plan/1\"}", 1, "JSON"},
    {"<html/>", 1, "root element <html>"},
    {"<!-- only a comment -->", 1, "not known"},
    {"BZh91AY&SY", 1, "bzip2"},
    {"\xff\xfe<\0", 1, "UTF-16"},
    {CLUSTER("<machine class=\"m\"/>"), 1, "this is a cluster"},
    /* No plans of queries, though they look like some. */
    {"Sort\n  (cost=1)\n", 1, "not known"},
    {"[{\"x\": \"Plan\"}]", 1, "not known"},
};

/* Whether it was refused as the row says; tells where not. */
static bool check(const struct bad *bad, const char *from, bool is_cluster)
{
    struct parse_text file = parse_text_open(bad->text, strlen(bad->text));
    struct br_parse_options options = br_parse_options_default();
    struct br_input input = {0};
    struct br_cluster *made = NULL;
    struct br_diag diag = {0};
    options.from = from;
    enum br_status status = is_cluster ? br_parse_cluster(file.path, &made, &diag)
                                       : br_parse_job(file.path, &options, &input, &diag);
    char text[2000];
    br_diag_format(&diag, text, sizeof text);
    bool right = status == BR_BAD_INPUT && diag.status == status && diag.line == bad->line &&
                 strstr(diag.what, bad->what) && strcmp(diag.file, file.path) == 0 &&
                 !strchr(text, '\n') && !input.dag && !input.cluster && !made;
    if (!right)
        print_error("%s\n gives %d, '%s'\n instead of line %u, '%s'\n", bad->text, status, text,
                    bad->line, bad->what);
    parse_text_close(&file);
    return right;
}

#define CHECK(table, from, is_cluster)                                                             \
    static void table##_refused(void **state)                                                      \
    {                                                                                              \
        size_t wrong = 0;                                                                          \
        for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)                                \
            wrong += !check(&table[k], from, is_cluster);                                          \
        assert_int_equal(wrong, 0);                                                                \
    }

CHECK(xml, NULL, false)
CHECK(cluster, NULL, true)
CHECK(dot, NULL, false)
CHECK(dax, NULL, false)
CHECK(psplib, NULL, false)
CHECK(patterson, NULL, false)
CHECK(unknown, NULL, false)

static enum br_status parse(const void *bytes, size_t size, const char *from, struct br_diag *diag)
{
    struct parse_text file = parse_text_open(bytes, size);
    struct br_parse_options options = br_parse_options_default();
    struct br_input input;
    options.from = from;
    memset(diag, 0, sizeof *diag);
    enum br_status status = br_parse_job(file.path, &options, &input, diag);
    if (!status)
        br_input_finish(&input);
    parse_text_close(&file);
    return status;
}

static void nul_bytes(void **state)
{
    static const char xml_text[] = "<job xmlns='urn:bigrocks:job:1'>\n<stage id='a\0b'/></job>";
    static const char dot_text[] = "digraph {\n a;\n \0 b }";
    static const char rcp_text[] = "1 1\n5\n7 \0 2 0";
    struct br_diag diag;
    assert_int_equal(parse(xml_text, sizeof xml_text - 1, NULL, &diag), BR_BAD_INPUT);
    assert_int_equal(diag.line, 2);
    assert_int_equal(parse(dot_text, sizeof dot_text - 1, NULL, &diag), BR_BAD_INPUT);
    assert_int_equal(diag.line, 3);
    assert_int_equal(diag.column, 2);
    assert_non_null(strstr(diag.what, "NUL"));
    assert_int_equal(parse(rcp_text, sizeof rcp_text - 1, "patterson", &diag), BR_BAD_INPUT);
    assert_int_equal(diag.line, 3);
    assert_int_equal(diag.column, 3);
}

/* Nothing that a text repeats takes the stack or the memory down. */
static void deep_and_wide(void **state)
{
    enum { TIMES = 300000 };
    static const struct {
        const char *begin, *repeat, *what;
    } cases[] = {
        {"<job xmlns='urn:bigrocks:job:1'><x xmlns='urn:others'>", "<x>", "nested too deeply"},
        {"<adag>", "<x>", "nested too deeply"},
        {"digraph {", "{", "nested more than"},
        {"digraph {", "subgraph a {", "nested more than"},
        {"digraph { a [x=", "<", "has no end"},
        {"digraph { a [x=", "\"\" + ", "syntax error"},
        {"digraph { a [", "x=1,", "syntax error"},
        {"<job xmlns='urn:bigrocks:job:1'>", "<stage id='a'>", "cannot stand in <stage>"},
        {"<job xmlns='urn:bigrocks:job:1' ", "a", "equal|='|too long"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        size_t begin = strlen(cases[k].begin), repeat = strlen(cases[k].repeat);
        char *text = malloc(begin + repeat * TIMES + 1);
        struct br_diag diag;
        assert_non_null(text);
        memcpy(text, cases[k].begin, begin);
        for (size_t i = 0; i < TIMES; i++)
            memcpy(text + begin + i * repeat, cases[k].repeat, repeat);
        assert_int_equal(parse(text, begin + repeat * TIMES, NULL, &diag), BR_BAD_INPUT);
        if (!strchr(cases[k].what, '|') && !strstr(diag.what, cases[k].what))
            fail_msg("'%s' lacks '%s'", diag.what, cases[k].what);
        free(text);
    }
}

/* As many attributes as nodes: cgraph alone would need room for their product. */
static void dot_attribute_bomb(void **state)
{
    enum { TIMES = 30000 };
    char *text = malloc(TIMES * 24 + 20), *at = text;
    struct br_diag diag;
    assert_non_null(text);
    at += sprintf(at, "digraph {");
    for (int i = 0; i < TIMES; i++)
        at += sprintf(at, "n%d [a%d=1];\n", i, i);
    at += sprintf(at, "}");
    assert_int_equal(parse(text, (size_t)(at - text), NULL, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "different attributes"));
    free(text);
}

/* cgraph tells the whole word that it does not understand; as much of it is kept as there is room
 * for. */
static void dot_words_of_faults(void **state)
{
    for (int length = 10; length <= 900; length += 89) {
        char text[1000], word[900 + 1] = "";
        struct br_diag diag;
        memset(word, 'x', (size_t)length);
        snprintf(text, sizeof text, "digraph g %s { a; }", word);
        assert_int_equal(parse(text, strlen(text), NULL, &diag), BR_BAD_INPUT);
        assert_memory_equal(diag.what, "syntax error near 'xxxxxxxxxx", 29);
        /* 600 bytes hold the word, what stands before it, and the line, which is told apart. */
        assert_true(strlen(diag.what) < 600 - strlen("Error:  in line 1"));
        assert_true(strlen(diag.what) > (length < 500 ? (size_t)length : 500));
    }
}

/* A message longer than cgraph's buffer; see grow_fault_buffer in dot.c. */
static void dot_long_words_of_faults(void **state)
{
    static const char *const shapes[] = {"digraph g {\n a;\n -> * }", "digraph g\n\n* { a }",
                                         "digraph {\n a\n [*=* *] }"};
    enum { MOST = 200000 };
    char *text = malloc(3 * MOST + 100);
    struct br_diag diag;
    assert_non_null(text);
    for (int length = 970; length <= MOST; length += length < 1100 ? 7 : length) {
        for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
            char *at = text;
            for (const char *p = shapes[k]; *p; p++) {
                int times = *p == '*' ? length : 1;
                memset(at, *p == '*' ? 'x' : *p, (size_t)times);
                at += times;
            }
            assert_int_equal(parse(text, (size_t)(at - text), NULL, &diag), BR_BAD_INPUT);
            if (strncmp(diag.what, "syntax error near '", 19) != 0)
                fail_msg("%d letters in '%s' give '%s'", length, shapes[k], diag.what);
            assert_int_equal(diag.line, 3);
        }
    }
    free(text);
}

/* An arrow between two groups is as many edges as their product. "*" stands for many nodes. */
static void dot_edge_bombs(void **state)
{
    static const char *const shapes[] = {
        "digraph { {*} -> {*} }",
        "digraph { subgraph x {*} y -> z subgraph x -> subgraph x }",
        "digraph { subgraph x {*} subgraph x { a * } -> subgraph x { b } }",
        "digraph { {a {*}} -> c:n -> {{*} d} -> {{*} d} }",
        "digraph { {*} * a -> {*} -> b subgraph x {*} {*} a [x=1] }", /* is fine */
    };
    enum { NODES = 3000, SHAPES = sizeof shapes / sizeof shapes[0] };
    char *text = malloc(NODES * 8 * 8);
    struct br_diag diag;
    assert_non_null(text);
    for (size_t k = 0; k < SHAPES; k++) {
        char *at = text;
        for (const char *p = shapes[k]; *p; p++)
            if (*p != '*')
                *at++ = *p;
            else
                for (int i = 0; i < NODES; i++)
                    at += sprintf(at, "n%d ", i);
        if (parse(text, (size_t)(at - text), NULL, &diag) !=
            (k + 1 < SHAPES ? BR_BAD_INPUT : BR_OK))
            fail_msg("%s", shapes[k]);
        if (k + 1 < SHAPES && !strstr(diag.what, "nodes or edges"))
            fail_msg("%s gives '%s'", shapes[k], diag.what);
    }
    free(text);
}

/* Lists that are gone through once per new entry are limited. */
static void too_many_resources(void **state)
{
    enum { RESOURCES = 1001 };
    char *text = malloc(RESOURCES * 60 + 200), *at = text;
    struct br_diag diag;
    assert_non_null(text);
    at += sprintf(at, "<job xmlns='urn:bigrocks:job:1'>\n<stage id='a'>\n");
    for (int r = 0; r < RESOURCES; r++)
        at += sprintf(at, "<demand resource='r%d' amount='1'/>\n", r);
    at += sprintf(at, "</stage></job>");
    assert_int_equal(parse(text, (size_t)(at - text), NULL, &diag), BR_BAD_INPUT);
    assert_int_equal(diag.line, RESOURCES + 2);
    assert_non_null(strstr(diag.what, "one more than 1000"));
    free(text);
}

static void files_that_cannot_be_read(void **state)
{
    struct br_input input;
    struct br_cluster *made;
    struct br_diag diag = {0};
    assert_int_equal(br_parse_job("/nowhere/job.xml", NULL, &input, &diag), BR_SYSTEM);
    assert_string_equal(diag.file, "/nowhere/job.xml");
    assert_non_null(strstr(diag.what, "cannot be read: "));
    assert_int_equal(br_parse_job("/", NULL, &input, &diag), BR_SYSTEM);
    assert_string_equal(diag.hint, "give a file");
    assert_int_equal(br_parse_job("", NULL, &input, &diag), BR_SYSTEM);
    assert_int_equal(br_parse_cluster("/", &made, &diag), BR_SYSTEM);
    assert_null(made);
    assert_int_equal(br_parse_job_xml("/", &input, NULL), BR_SYSTEM);
    if (geteuid() != 0) {
        char path[] = "/tmp/bigrocks-XXXXXX";
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        assert_int_equal(fchmod(fd, 0), 0);
        assert_int_equal(br_parse_job(path, NULL, &input, &diag), BR_SYSTEM);
        close(fd);
        unlink(path);
    }
}

/* The same refusals without anybody to tell. */
static void no_diagnostic(void **state)
{
    struct br_input input;
    struct br_cluster *made;
    for (size_t k = 0; k < sizeof xml / sizeof xml[0]; k++) {
        struct parse_text file = parse_text_open(xml[k].text, strlen(xml[k].text));
        assert_int_equal(br_parse_job(file.path, NULL, &input, NULL), BR_BAD_INPUT);
        parse_text_close(&file);
    }
    for (size_t k = 0; k < sizeof dot / sizeof dot[0]; k++) {
        struct parse_text file = parse_text_open(dot[k].text, strlen(dot[k].text));
        assert_int_equal(br_parse_job(file.path, NULL, &input, NULL), BR_BAD_INPUT);
        parse_text_close(&file);
    }
    for (size_t k = 0; k < sizeof cluster / sizeof cluster[0]; k++) {
        struct parse_text file = parse_text_open(cluster[k].text, strlen(cluster[k].text));
        assert_int_equal(br_parse_cluster(file.path, &made, NULL), BR_BAD_INPUT);
        parse_text_close(&file);
    }
    assert_int_equal(br_parse_capacity(1, "cpu", &made, NULL), BR_BAD_INPUT);
    /* No file could hold such a name, so that the plan could not be read again. */
    assert_int_equal(br_parse_capacity(1, "cpu=1,r\xef\xbf\xbf=1", &made, NULL), BR_BAD_INPUT);
    assert_int_equal(br_parse_capacity(1, "r\x1b=1", &made, NULL), BR_BAD_INPUT);
}

/* Long names are cut in messages, and control characters of the input reach no terminal. */
static void printable_messages(void **state)
{
    struct br_diag diag;
    char text[4000];
    memset(text, 'a', sizeof text);
    memcpy(text, "<job xmlns='urn:bigrocks:job:1'><stage id='", 43);
    strcpy(text + sizeof text - 30, "' tasks='\x1b[31m'/></job>");
    assert_int_equal(parse(text, strlen(text), NULL, &diag), BR_BAD_INPUT);
    static const char escape[] = "digraph {\n \"\x1b[31mred\" }";
    assert_int_equal(parse(escape, sizeof escape - 1, NULL, &diag), BR_BAD_INPUT);
    assert_null(strchr(diag.what, '\x1b'));
    assert_non_null(strstr(diag.what, "?[31mred"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xml_refused),
        cmocka_unit_test(cluster_refused),
        cmocka_unit_test(dot_refused),
        cmocka_unit_test(dax_refused),
        cmocka_unit_test(psplib_refused),
        cmocka_unit_test(patterson_refused),
        cmocka_unit_test(unknown_refused),
        cmocka_unit_test(nul_bytes),
        cmocka_unit_test(deep_and_wide),
        cmocka_unit_test(dot_attribute_bomb),
        cmocka_unit_test(dot_words_of_faults),
        cmocka_unit_test(dot_edge_bombs),
        cmocka_unit_test(too_many_resources),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(no_diagnostic),
        cmocka_unit_test(printable_messages),
        cmocka_unit_test(dot_long_words_of_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
