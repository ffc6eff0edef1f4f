import ctypes
import types
from typing import Any, List, Mapping, Optional, Tuple, Union

lib: types.SimpleNamespace
free_text: Any
ANY: int

class Owner:
    def __reduce_ex__(self, protocol: Any) -> Any: ...

class Diag(ctypes.Structure):
    status: int
    line: int
    column: int
    file: bytes
    what: bytes
    hint: bytes

class PlanOptions(ctypes.Structure):
    method: Optional[bytes]
    effort: int
    seed: int
    threads: int
    time_limit_ns: int
    placements: int
    bound: int
    objective: int
    order: Any
    rest: Any

class PlanTask(ctypes.Structure):
    task: int
    machine: int
    start_ns: int
    end_ns: int
    rank: int
    priority: float
    subset: bytes

class PlanTransfer(ctypes.Structure):
    parent: int
    child: int
    index: int
    source: int
    target: int
    bytes: int
    start_ns: int
    end_ns: int

class TransferRate(ctypes.Structure):
    start_ns: int
    end_ns: int
    rate: int

class TaskSlack(ctypes.Structure):
    total_ns: int
    free_ns: int

class Source(ctypes.Structure):
    find: Optional[int]
    context: Optional[int]

class BoundOptions(ctypes.Structure):
    time_limit_ns: int
    cpu_limit_ns: int
    conflicts: int
    tolerance: float
    source: Any
    rest: Any

class Answer(ctypes.Structure):
    found: bool
    lower_bound_ns: int
    certificate: Optional[int]
    method: bytes
    status: bytes
    why: bytes

class BoundResult(ctypes.Structure):
    lower_bound_ns: int
    method: bytes
    certificate: Optional[int]
    core_ns: int
    core_method: Optional[bytes]
    clause_ns: int
    at_most_ns: int
    clause_lost: bool
    source: Answer
    rest: Any

class Hit(ctypes.Structure):
    match: int
    same_details: bool
    same_cluster: bool
    stored_ns: int
    found_ns: int
    enough: bool
    fresh_ns: int
    rest: Any

class EnforcerOptions(ctypes.Structure):
    policy: Optional[bytes]
    remote_penalty: float
    eta_factor: float
    kappa: float
    fairness: int
    bundle: int
    keep_plan: bool
    rest: Any

class DecisionMade(ctypes.Structure):
    job: int
    task: int
    machine: int

class JobState(ctypes.Structure):
    waiting: int
    ready: int
    running: int
    finished: int
    failed: int

def find() -> str: ...
def whole(value: Any, what: str, least: int = ..., most: int = ...) -> int: ...
def real(value: Any, what: str) -> float: ...
def text(value: Any, what: str) -> Optional[bytes]: ...
def path_of(value: Any, what: str = ...) -> Optional[bytes]: ...
def pairs_of(value: Any, what: str) -> List[Tuple[Any, Any]]: ...
def handle(thing: Any, name: str, what: str) -> Any: ...
def set_option(options: Any, name: str, value: Any, what: Optional[str] = ...) -> None: ...
def limit_ns(seconds: Union[int, float, str], what: str = ...) -> int: ...
def call(function: Any, *arguments: Any) -> None: ...
def one_of(what: str, words: Mapping[str, int], word: str) -> int: ...
def to_ns(seconds: Union[int, float, str]) -> int: ...
def seconds_text(value: Union[int, float, str]) -> str: ...
def amount_text(value: Union[int, float, str]) -> bytes: ...
def amount_said(resource: str, text: str) -> str: ...
def whole_bytes(number: float) -> int: ...
def text_of(function: Any, *arguments: Any) -> str: ...
def version() -> str: ...
