"""The shared library libbigrocks by ctypes: its calls and structs, and values as they take and give them.

The library is $BIGROCKS_LIBRARY, else the one that came with the package, else the installed libbigrocks.so.0.
"""
import ctypes
import decimal
import functools
import math
import operator
import os
import pathlib
import types

from ._errors import UsageError, of as _error_of


def find():
    """The path of the library: the one that is named, that came with the package, or that is installed."""
    beside = pathlib.Path(__file__).with_name('lib') / 'libbigrocks.so.0'
    return os.environ.get('BIGROCKS_LIBRARY') or (str(beside) if beside.exists() else 'libbigrocks.so.0')


_library = ctypes.CDLL(find())


class Owner:
    """Holds something of the library, which goes with the object. A copy would release it a second time, so copy,
    deepcopy and pickle are refused."""

    def __reduce_ex__(self, protocol):
        raise UsageError('a %s is neither copied nor pickled' % type(self).__name__,
                         'share it, or keep what to_xml or to_json writes')


class Diag(ctypes.Structure):
    _fields_ = [('status', ctypes.c_int), ('line', ctypes.c_uint32), ('column', ctypes.c_uint32),
                ('file', ctypes.c_char * 256), ('what', ctypes.c_char * 768),
                ('hint', ctypes.c_char * 512)]


_ORDER = ctypes.POINTER(ctypes.c_uint32)


class PlanOptions(ctypes.Structure):
    # The members that are set here come first; room for those of later versions follows.
    _fields_ = [('method', ctypes.c_char_p), ('effort', ctypes.c_int), ('seed', ctypes.c_uint64),
                ('threads', ctypes.c_uint32), ('time_limit_ns', ctypes.c_int64),
                ('placements', ctypes.c_uint64), ('bound', ctypes.c_int), ('objective', ctypes.c_int),
                ('order', _ORDER), ('rest', ctypes.c_uint64 * 64)]


class PlanTask(ctypes.Structure):
    _fields_ = [('task', ctypes.c_uint32), ('machine', ctypes.c_uint32),
                ('start_ns', ctypes.c_int64), ('end_ns', ctypes.c_int64),
                ('rank', ctypes.c_uint32), ('priority', ctypes.c_double),
                ('subset', ctypes.c_char)]


class PlanTransfer(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ('parent', 'child', 'index', 'source', 'target')] + [
        ('bytes', ctypes.c_int64), ('start_ns', ctypes.c_int64), ('end_ns', ctypes.c_int64)]


class TransferRate(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ('start_ns', 'end_ns', 'rate')]


class TaskSlack(ctypes.Structure):
    _fields_ = [('total_ns', ctypes.c_int64), ('free_ns', ctypes.c_int64)]


class Source(ctypes.Structure):
    _fields_ = [('find', ctypes.c_void_p), ('context', ctypes.c_void_p)]


class BoundOptions(ctypes.Structure):
    _fields_ = [('time_limit_ns', ctypes.c_int64), ('cpu_limit_ns', ctypes.c_int64),
                ('conflicts', ctypes.c_uint64), ('tolerance', ctypes.c_double),
                ('source', ctypes.POINTER(Source)),
                ('rest', ctypes.c_uint64 * 64)]


class Answer(ctypes.Structure):
    _fields_ = [('found', ctypes.c_bool), ('lower_bound_ns', ctypes.c_int64),
                ('certificate', ctypes.c_void_p), ('method', ctypes.c_char * 96),
                ('status', ctypes.c_char * 32), ('why', ctypes.c_char * 256)]


class BoundResult(ctypes.Structure):
    _fields_ = [('lower_bound_ns', ctypes.c_int64), ('method', ctypes.c_char * 96),
                ('certificate', ctypes.c_void_p), ('core_ns', ctypes.c_int64),
                ('core_method', ctypes.c_char_p), ('clause_ns', ctypes.c_int64),
                ('at_most_ns', ctypes.c_int64), ('clause_lost', ctypes.c_bool), ('source', Answer), ('rest', ctypes.c_uint64 * 64)]


class Hit(ctypes.Structure):
    _fields_ = [('match', ctypes.c_int), ('same_details', ctypes.c_bool), ('same_cluster', ctypes.c_bool),
                ('stored_ns', ctypes.c_int64), ('found_ns', ctypes.c_int64), ('enough', ctypes.c_bool),
                ('fresh_ns', ctypes.c_int64), ('rest', ctypes.c_uint64 * 64)]


class EnforcerOptions(ctypes.Structure):
    _fields_ = [('policy', ctypes.c_char_p), ('remote_penalty', ctypes.c_double),
                ('eta_factor', ctypes.c_double), ('kappa', ctypes.c_double),
                ('fairness', ctypes.c_int), ('bundle', ctypes.c_uint32),
                ('keep_plan', ctypes.c_bool), ('rest', ctypes.c_uint64 * 64)]


class DecisionMade(ctypes.Structure):
    _fields_ = [('job', ctypes.c_uint32), ('task', ctypes.c_uint32), ('machine', ctypes.c_uint32)]


class JobState(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32)
                for name in ('waiting', 'ready', 'running', 'finished', 'failed')]


def whole(value, what, least=0, most=2**63 - 1):
    """The whole number within these limits; UsageError for what is none."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or not least <= number <= most:
        raise UsageError('%s is %.80r' % (what, value), 'give a whole number from %d to %d' % (least, most))
    return number


def real(value, what):
    """The finite number; UsageError for what is none."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise UsageError('%s is %.80r' % (what, value), 'give a number')
    return number


def text(value, what):
    """A text as the library takes it, or None; UsageError for what is neither, or cannot be kept."""
    if value is None:
        return None
    try:
        encoded = value if isinstance(value, bytes) else value.encode()
    except (AttributeError, UnicodeEncodeError):
        raise UsageError('%s is %.80r' % (what, value), 'give a text') from None
    if b'\0' in encoded:
        raise UsageError('%s has a NUL in it: %.80r' % (what, value), 'give a text without')
    return encoded


def path_of(value, what='the path'):
    """A path as bytes; UsageError for what is none."""
    try:
        return text(os.fsencode(value), what)
    except (TypeError, UnicodeEncodeError):
        raise UsageError('%s is %.80r' % (what, value), 'give a path') from None


def pairs_of(value, what):
    """What a mapping, or None, holds."""
    try:
        return list((value or {}).items())
    except AttributeError:
        raise UsageError('%s is %.80r' % (what, value), 'give a dict') from None


def handle(thing, name, what):
    """What the library knows the job, cluster or plan by; UsageError for what is none."""
    found = getattr(thing, name, None)
    if not found:
        raise UsageError('%.80r is no %s' % (thing, what), 'give a %s of bigrocks' % what)
    return found


_P, _T, _U, _I, _STATUS = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint32, ctypes.c_int64,
                           ctypes.c_int)
_DIAG, _OUT = ctypes.POINTER(Diag), ctypes.POINTER(ctypes.c_uint32)
_TABLE = [
    ('version', _T, []),
    ('dag_create', _P, [('name', _T)]), ('dag_destroy', None, [_P]),
    ('dag_add_resource', _STATUS, [_P, ('the name', _T), ('the unit', _T), _DIAG]),
    ('dag_add_stage', _STATUS, [_P, ('id', _T), ('tasks', _U), ('seconds', _I), _OUT, _DIAG]),
    ('dag_add_demand', _STATUS, [_P, ('stage', _U), ('the resource', _T), ('the amount', _T), _DIAG]),
    ('dag_set_duration', _STATUS, [_P, ('stage', _U), ('the index', _U), ('seconds', _I), _DIAG]),
    ('dag_set_command', _STATUS, [_P, ('stage', _U), ('the command', _T), _DIAG]),
    ('dag_set_weight', _STATUS, [_P, ('stage', _U), ('the weight', _U), _DIAG]),
    ('dag_add_edge', _STATUS, [_P, ('the parent', _U), ('the child', _U), ('type', ctypes.c_int), _DIAG]),
    ('dag_set_edge_overlap', _STATUS, [_P, ('the parent', _U), ('the child', _U), ('the overlap', _U), _DIAG]),
    ('dag_set_edge_bytes', _STATUS, [_P, ('the parent', _U), ('the child', _U), ('bytes', _I), _DIAG]),
    ('dag_add_output', _STATUS, [_P, ('stage', _U), ('id', _T), ('the resource', _T), ('the amount', _T),
                                 ('the flags', _U), _DIAG]),
    ('dag_set_output_free', _STATUS, [_P, ('stage', _U), ('id', _T), ('the command', _T), _DIAG]),
    ('dag_set_edge_reads', _STATUS, [_P, ('the parent', _U), ('the child', _U), ('the ids', _T), _DIAG]),
    ('dag_set_release', _STATUS, [_P, ('stage', _U), ('the index', _U), ('seconds', _I), _DIAG]),
    ('dag_set_deadline', _STATUS, [_P, ('stage', _U), ('the index', _U), ('seconds', _I), _DIAG]),
    ('dag_set_edge_lag', _STATUS, [_P, ('the parent', _U), ('the child', _U), ('seconds', _I), _DIAG]),
    ('dag_set_edge_stream', _STATUS, [_P, ('the parent', _U), ('the child', _U), _DIAG]),
    ('dag_add_alternative', _STATUS, [_P, ('stage', _U), ('id', _T), ('seconds', _I), _OUT, _DIAG]),
    ('dag_add_alternative_demand', _STATUS, [_P, ('stage', _U), ('alternative', _U), ('the resource', _T),
                                             ('the amount', _T), _DIAG]),
    ('dag_add_consumed', _STATUS, [_P, ('stage', _U), ('alternative', _U), ('the resource', _T), ('the amount', _T),
                                   _DIAG]),
    ('dag_set_classes', _STATUS, [_P, ('stage', _U), ('alternative', _U), ('the classes', _T), _DIAG]),
    ('dag_set_alternative_duration', _STATUS, [_P, ('stage', _U), ('alternative', _U), ('the index', _U),
                                               ('seconds', _I), _DIAG]),
    ('dag_alternative_id', _T, [_P, _U, _U]),
    ('dag_finish', _STATUS, [_P, _DIAG]), ('dag_task_count', _U, [_P]),
    ('dag_task_stage', _U, [_P, _U]),
    ('dag_stage_id', _T, [_P, _U]),
    ('dag_task_id', ctypes.c_int, [_P, _U, _T, ctypes.c_size_t]),
    ('dag_complete_order', _STATUS, [_P, _ORDER, ('count', _U), _ORDER, _ORDER, _DIAG]),
    ('cluster_create', _P, [_T]), ('cluster_destroy', None, [_P]),
    ('cluster_add_class', _STATUS, [_P, ('the name', _T), ('count', _U), _OUT, _DIAG]),
    ('cluster_add_capacity', _STATUS, [_P, ('the class', _U), ('the resource', _T), ('the amount', _T), _DIAG]),
    ('cluster_set_network', _STATUS, [_P, ('the class', _U), ('up', _I), ('down', _I), _DIAG]),
    ('cluster_set_speed', _STATUS, [_P, _U, ('the speed', _T), _DIAG]),
    ('cluster_set_fungible', _STATUS, [_P, ('the resource', _T), _DIAG]),
    ('cluster_add_shared', _STATUS, [_P, ('the resource', _T), ('the amount', _T), _DIAG]),
    ('cluster_add_unavailable', _STATUS, [_P, ('the class', _U), ('the index', _U), ('seconds', _I), ('seconds', _I),
                                          _DIAG]),
    ('cluster_add_change', _STATUS, [_P, ('the resource', _T), ('the class', _U), ('the index', _U), ('seconds', _I),
                                     ('seconds', _I), ('the amount', _T), _DIAG]),
    ('cluster_machine_count', _U, [_P]),
    ('cluster_machine_name', ctypes.c_int, [_P, _U, _T, ctypes.c_size_t]),
    ('plan_options_default', PlanOptions, []), ('method_name', _T, [_U]),
    ('plan_make', _STATUS, [_P, _P, ctypes.POINTER(PlanOptions), ctypes.POINTER(_P), _DIAG]),
    ('bound', _STATUS, [_P, _P, ctypes.POINTER(_I), ctypes.POINTER(_T), _DIAG]),
    ('bound_options_default', BoundOptions, []), ('bound_program', Source, [('the path', _T)]),
    ('bound_best', _STATUS, [_P, _P, ctypes.POINTER(BoundOptions),
                             ctypes.POINTER(BoundResult), _DIAG]),
    ('bound_result_finish', None, [ctypes.POINTER(BoundResult)]),
    ('certificate_text', _P, [_P, _P]), ('plan_certificate', _P, [_P]),
    ('plan_destroy', None, [_P]), ('plan_task_count', _U, [_P]),
    ('plan_alternative', _U, [_P, _U]),
    ('plan_at', PlanTask, [_P, _U]), ('plan_of', PlanTask, [_P, _U]),
    ('plan_network', _STATUS, [_P, _P, _P, ctypes.POINTER(PlanOptions), _DIAG]),
    ('plan_has_network', ctypes.c_bool, [_P]), ('plan_network_bound_ns', _I, [_P]),
    ('plan_transfer_count', _U, [_P]), ('plan_transfer_at', PlanTransfer, [_P, _U]),
    ('plan_transfer_rate_count', _U, [_P, _U]),
    ('plan_transfer_rate_at', TransferRate, [_P, _U, _U]),
    ('plan_mean_ns', _I, [_P]), ('plan_mean_bound_ns', _I, [_P]),
    ('plan_makespan_ns', _I, [_P]), ('plan_lower_bound_ns', _I, [_P]),
    ('plan_bound_method', _T, [_P]), ('plan_gap', ctypes.c_double, [_P]),
    ('plan_slack', _STATUS, [_P, _P, _P, ctypes.POINTER(TaskSlack), _DIAG]),
    ('plan_method', _T, [_P]), ('plan_note', _T, [_P]),
    ('store_is_there', ctypes.c_bool, []),
    ('store_open', _STATUS, [('the path', _T), ctypes.POINTER(_P), _DIAG]), ('store_close', None, [_P]),
    ('store_put', _STATUS, [_P, _P, _P, ctypes.POINTER(PlanOptions), _P, _DIAG]),
    ('store_get', _STATUS, [_P, _P, _P, ctypes.POINTER(PlanOptions), ctypes.POINTER(_P), ctypes.POINTER(Hit),
                            _DIAG]),
    ('store_plan', _STATUS, [_P, _P, _P, ctypes.POINTER(PlanOptions), ctypes.POINTER(_P), ctypes.POINTER(Hit),
                             _DIAG]),
    ('store_count', _STATUS, [_P, ctypes.POINTER(ctypes.c_uint64), _DIAG]),
    ('runtime_options_default', EnforcerOptions, []), ('policy_name', _T, [_U]),
    ('runtime_create', _STATUS, [_P, ctypes.POINTER(EnforcerOptions), ctypes.POINTER(_P),
                                 _DIAG]),
    ('runtime_destroy', None, [_P]),
    ('runtime_overbook', _STATUS, [_P, ('the resource', _T), ('the percentage', _U), _DIAG]),
    ('runtime_add_group', _STATUS, [_P, ('the group', _T), ('the weight', ctypes.c_double), _OUT, _DIAG]),
    ('runtime_submit', _STATUS, [_P, _P, _P, ('the group', _U), ctypes.c_int, _OUT, _DIAG]),
    ('runtime_retire', _STATUS, [_P, ('job', _U), _DIAG]), ('runtime_close', _STATUS, [_P, ('job', _U), _DIAG]),
    ('runtime_started', _STATUS, [_P, ('job', _U), ('task', _U), ('machine', _U), _DIAG]),
    ('runtime_finished', _STATUS, [_P, ('job', _U), ('task', _U), _DIAG]),
    ('runtime_lasted', _STATUS, [_P, ('job', _U), ('task', _U), ctypes.c_int64, _DIAG]),
    ('runtime_failed', _STATUS, [_P, ('job', _U), ('task', _U), ('again', ctypes.c_bool), _DIAG]),
    ('runtime_report', _STATUS, [_P, ('machine', _U), ('the resource', _T), ('the amount', _T), _DIAG]),
    ('runtime_decide', _U, [_P, ('machine', _U), ('now', _I), ctypes.POINTER(DecisionMade), ('most', _U)]),
    ('runtime_job', JobState, [_P, ('job', _U)]),
    ('runtime_used', ctypes.c_double, [_P, ('machine', _U), ('the resource', _T)]),
    ('runtime_deficit', ctypes.c_double, [_P, ('group', _U)])]


# What goes from here to C is never cut: C would take the lowest bits of a number, and a text up to its first NUL.
_CHECKS = {
    _U: lambda value, what: whole(value, what, 0, 2**32 - 1),
    _I: lambda value, what: whole(value, what, -2**63),
    ctypes.c_int: lambda value, what: whole(value, what, -2**31, 2**31 - 1),
    ctypes.c_uint64: lambda value, what: whole(value, what, 0, 2**64 - 1),
    ctypes.c_double: real, ctypes.c_bool: lambda value, what: bool(value), _T: text,
}


def _checked(function, name, kinds):
    """The function, with its named arguments checked."""
    checks = [(k, _CHECKS[kind[1]], kind[0]) for k, kind in enumerate(kinds) if isinstance(kind, tuple)]

    @functools.wraps(function, assigned=(), updated=())
    def called(*arguments):
        arguments = list(arguments)
        for k, check, what in checks:
            arguments[k] = check(arguments[k], what)
        return function(*arguments)
    called.__name__ = name
    return called


def _bind():
    """The functions of the table, by their names in C."""
    bound = types.SimpleNamespace()
    for name, result, kinds in _TABLE:
        function = getattr(_library, 'br_' + name)
        function.restype = result
        function.argtypes = [kind[1] if isinstance(kind, tuple) else kind for kind in kinds]
        named = any(isinstance(kind, tuple) for kind in kinds)
        setattr(bound, 'br_' + name, _checked(function, name, kinds) if named else function)
    return bound


lib = _bind()


def set_option(options, name, value, what=None):
    """Sets a member of a struct of options."""
    setattr(options, name, _CHECKS[dict(options._fields_[:-1])[name]](value, what or name))


# The C library's, which texts of the library are released by.
free_text = ctypes.CDLL(None).free
free_text.restype, free_text.argtypes = None, [_P]

ANY = 2**32 - 1  # BR_ANY: any machine; of a transfer, no index


def call(function, *arguments):
    """Calls it with a diagnostic behind the arguments, and raises what that says."""
    diag = Diag()
    if function(*arguments, ctypes.byref(diag)):
        raise _error_of(diag.status, diag.what.decode(), diag.hint.decode(), os.fsdecode(diag.file), diag.line,
                        diag.column)


def limit_ns(seconds, what='the time limit'):
    """A limit of time, 0 or more seconds, in nanoseconds; at least one, since none is no limit."""
    return max(1, whole(to_ns(seconds), what + ' in nanoseconds'))


def to_ns(seconds):
    """Whole nanoseconds."""
    # Through the shortest decimal, so that 0.1 is 100,000,000.
    try:
        return int((decimal.Decimal(str(seconds)) * 10**9).to_integral_value())
    except (ArithmeticError, ValueError):
        raise UsageError('%r is no time' % (seconds,), 'give seconds, such as 12.5') from None


def one_of(what, words, word):
    """The number that a word stands for, among those that there are."""
    if not isinstance(word, str) or word not in words:
        raise UsageError('there is no %s %.80r' % (what, word), 'take one of ' + ', '.join(words))
    return words[word]


def seconds_text(value):
    """Seconds as a plain decimal, to the nanosecond."""
    ns = to_ns(value)
    return format(decimal.Decimal(ns).scaleb(-9).normalize(), 'f')


def amount_text(value):
    """An amount as the library takes it."""
    try:
        return text(value if isinstance(value, str) else format(decimal.Decimal(str(value)), 'f'), 'the amount')
    except (ArithmeticError, ValueError):
        raise UsageError('%.80r is no amount' % (value,), "give a number, or a text such as '2GiB'") from None


def amount_said(resource, text):
    """The amount for people: bytes of memory as GiB and the like."""
    if resource.lower() not in ('mem', 'memory', 'ram') or not text.isdigit() or int(text) < 1 << 20:
        return text
    power = min((int(text).bit_length() - 1) // 10, 5)
    return '%.4g %s' % (int(text) / (1 << 10 * power), ('B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB')[power])


def whole_bytes(number):
    """Of bytes; the library says what is too large."""
    try:
        found = int(number)
    except (TypeError, ValueError, OverflowError):
        found = None
    if found is None or found != number or abs(found) >= 2**63:
        raise UsageError('%.80r is no whole number of bytes' % (number,))
    return found


def text_of(function, *arguments):
    """What a function writes that takes room for a text and returns the text's length."""
    size = function(*arguments, None, 0) + 1
    text = ctypes.create_string_buffer(size)
    function(*arguments, text, size)
    return text.value.decode()


def version():
    """Of the library."""
    return lib.br_version().decode()
