from typing import Any, Iterator, List, NamedTuple, Optional, Tuple, Union, overload

from ._job import Cluster, Job
from ._store import StoreHit

_Seconds = Union[int, float, str]

def methods() -> List[str]: ...

class Task(NamedTuple):
    id: str
    start: float
    end: float
    machine: str
    rank: int
    priority: float
    subset: str

class Transfer(NamedTuple):
    parent: int
    child: int
    index: Optional[int]  # type: ignore[assignment]
    source: str
    target: str
    bytes: int
    start: float
    end: float
    rates: List[Tuple[float, float, int]]

class Slack(NamedTuple):
    total: float
    free: float

class Plan:
    hit: Optional[StoreHit]
    def __init__(self, plan: Any, job: Job, cluster: Cluster, options: Any = ...,
                 hit: Optional[StoreHit] = ...) -> None: ...
    def __del__(self) -> None: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, k: Union[int, str]) -> Task: ...
    @overload
    def __getitem__(self, k: slice) -> List[Task]: ...
    def _repr_svg_(self) -> Optional[str]: ...
    def __iter__(self) -> Iterator[Task]: ...
    @property
    def makespan(self) -> float: ...
    @property
    def lower_bound(self) -> float: ...
    @property
    def bound_method(self) -> str: ...
    @property
    def certificate(self) -> Optional[str]: ...
    @property
    def gap(self) -> float: ...
    @property
    def method(self) -> str: ...
    @property
    def note(self) -> Optional[str]: ...
    @property
    def slack(self) -> List[Slack]: ...
    @property
    def network_bound(self) -> Optional[float]: ...
    @property
    def transfers(self) -> Optional[List[Transfer]]: ...
    def to_json(self) -> str: ...

def certificate_json(certificate: Any, dag: Any) -> Optional[str]: ...
def search_options(method: str = ..., effort: Optional[str] = ..., seed: Optional[int] = ..., threads: int = ...,
                   time_limit: Optional[_Seconds] = ..., placements: int = ...,
                   bound: Optional[str] = ...) -> Any: ...

def plan(job: Job, cluster: Cluster, method: str = ..., effort: Optional[str] = ..., seed: Optional[int] = ...,
         threads: int = ..., time_limit: Optional[_Seconds] = ..., placements: int = ...,
         network: bool = ..., bound: Optional[str] = ...) -> Plan: ...
