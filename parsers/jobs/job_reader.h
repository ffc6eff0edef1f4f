/* The native job form as a reader of elements, for the forms that hold a job. */
#ifndef BR_PARSERS_JOBS_JOB_READER_H
#define BR_PARSERS_JOBS_JOB_READER_H

#include "parsers/reader/input.h"
#include "parsers/text/xml.h"

struct br_job_reader;

/* Reads a <job> inside of so many other elements. The source is borrowed. NULL when memory is out.
 */
struct br_job_reader *br_job_reader_create(struct br_source *source, uint32_t outside,
                                           int64_t default_duration_ns);
void br_job_reader_destroy(struct br_job_reader *reader);
/* The handlers of <job> and of all inside it; see struct br_xml_handler. */
enum br_status br_job_reader_start(struct br_job_reader *reader, struct br_xml *xml);
enum br_status br_job_reader_end(struct br_job_reader *reader, struct br_xml *xml,
                                 const char *text);
/* After the end of <job>: the job, which is not finished, and the cluster inside it, if there is
 * one. Both are the caller's, also after a fault. */
enum br_status br_job_reader_finish(struct br_job_reader *reader, struct br_input *input,
                                    struct br_diag *diag);

#endif
