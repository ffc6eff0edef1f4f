/* Tokens of a jobserver, as in GNU make: a pipe or a named pipe with one byte for every process
 * that may run beyond the first of each program that shares it. A program that runs one more
 * process takes a byte, and writes it back when that has ended. So all programs that use it keep
 * one common limit: make, cargo, ninja from 1.13 (named pipes only), and this one. Source: GNU
 * make's manual, "Sharing Job Slots with GNU make". */
#ifndef BR_RUNTIME_JOBSERVER_JOBSERVER_H
#define BR_RUNTIME_JOBSERVER_JOBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include <bigrocks/diag.h>

struct br_jobserver;

enum br_jobserver_form { BR_JOBSERVER_PIPE, BR_JOBSERVER_FIFO };

/* Joins the jobserver that a value of $MAKEFLAGS names. If it names none, *jobserver is NULL and
 * the result BR_OK. If it names one that this process cannot reach, as make hides it from programs
 * that it does not take for makes, BR_NO with a reason. */
enum br_status br_jobserver_join(const char *makeflags, struct br_jobserver **jobserver,
                                 struct br_diag *diag);
/* Makes a jobserver for this many processes (at least 1), including the caller's first, and puts it
 * into this process's MAKEFLAGS for its children. A named pipe has its name in /proc, as long as
 * this process lives. BR_SYSTEM. */
enum br_status br_jobserver_create(enum br_jobserver_form form, uint32_t processes,
                                   struct br_jobserver **jobserver, struct br_diag *diag);
/* Gives back all held tokens, and removes a jobserver that was made. NULL is fine. */
void br_jobserver_destroy(struct br_jobserver *jobserver);

/* Takes one more token if there is one. Never waits. */
bool br_jobserver_take(struct br_jobserver *jobserver);
/* Gives back tokens until at most this many are held. If this process has made the jobserver and
 * nobody uses it any more (`idle`), tokens that a killed program has taken along are made anew. */
void br_jobserver_keep(struct br_jobserver *jobserver, uint32_t held, bool idle);
uint32_t br_jobserver_held(const struct br_jobserver *jobserver);
/* A descriptor that is readable when there may be a token. */
int br_jobserver_watch(const struct br_jobserver *jobserver);

/* Gives back the tokens of a process that has died, in a process forked from it, by a descriptor
 * that br_jobserver_way has named. */
int br_jobserver_way(const struct br_jobserver *jobserver);
void br_jobserver_settle(const struct br_jobserver *jobserver, int way);

/* MAKEFLAGS without its jobserver, in place. */
void br_jobserver_strip(char *makeflags);

#endif
