"""Lower bounds on what any plan takes."""
import collections
import ctypes

from ._library import BoundResult, call, handle, lib, limit_ns, path_of, set_option
from ._plan import certificate_json


def bound(job, cluster):
    """(seconds, argument): a proven lower bound on every plan's makespan."""
    ns, method = ctypes.c_int64(), ctypes.c_char_p()
    call(lib.br_bound, handle(job, '_planned', 'job'), handle(cluster, '_cluster', 'cluster'), ctypes.byref(ns),
         ctypes.byref(method))
    return ns.value / 1e9, method.value.decode()


Bound = collections.namedtuple('Bound', 'seconds method certificate program')


def best_bound(job, cluster, time_limit=None, conflicts=None, program=None):
    """The best lower bound on every plan's makespan that the limits allow, and the argument that gave
    it; `certificate` is its proof as JSON, or None. The program bigrocks-bound is started as a child
    where it is found, or at the path `program`; False: no process is started. `program` of the result
    is what came of it. Without a time limit the same job gets the same bound."""
    options, result = lib.br_bound_options_default(), BoundResult()
    if time_limit is not None:
        options.time_limit_ns = limit_ns(time_limit)
    if conflicts is not None:
        set_option(options, 'conflicts', conflicts)
    if program is not False:
        path = program and path_of(program)  # kept: the source borrows it
        source = lib.br_bound_program(path)
        options.source = ctypes.pointer(source)
    # Under other names: the job and the cluster are kept, though nobody else may hold them.
    dag, machines = handle(job, '_planned', 'job'), handle(cluster, '_cluster', 'cluster')
    try:
        call(lib.br_bound_best, dag, machines, ctypes.byref(options), ctypes.byref(result))
        certificate = certificate_json(result.certificate, dag)
        answer = result.source
        return Bound(result.lower_bound_ns / 1e9, result.method.decode(), certificate,
                     (answer.method if answer.found else answer.why).decode())
    finally:
        lib.br_bound_result_finish(ctypes.byref(result))
