from typing import Any, List, Mapping, Optional, Sequence

from . import Cluster, Job, Plan, _Seconds

class DaskJob(Job):
    keys: List[Any]
    graph: Mapping[Any, Any]
    def __init__(self, what: Any, durations: Any = ..., resources: Any = ..., seconds: _Seconds = ...,
                 keys: Optional[Sequence[Any]] = ..., name: str = ...) -> None: ...
    def run(self, plan: Plan, client: Any, sync: bool = ...) -> Any: ...

def machines(cluster: Cluster, client: Any) -> Cluster: ...
