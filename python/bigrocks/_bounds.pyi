import os
from typing import NamedTuple, Optional, Tuple, Union

from ._job import Cluster, Job

_Path = Union[str, 'os.PathLike[str]']
_Seconds = Union[int, float, str]

def bound(job: Job, cluster: Cluster) -> Tuple[float, str]: ...

class Bound(NamedTuple):
    seconds: float
    method: str
    certificate: Optional[str]
    program: str

def best_bound(job: Job, cluster: Cluster, time_limit: Optional[_Seconds] = ..., conflicts: Optional[int] = ...,
               program: Union[None, bool, _Path] = ...) -> Bound: ...
