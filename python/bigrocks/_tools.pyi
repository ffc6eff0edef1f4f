import os
from typing import Any, Iterable, Optional, Union

from ._job import Cluster, Job
from ._plan import Plan
from ._program import Ran, Read

_Path = Union[str, 'os.PathLike[str]']

def read(path: _Path, format: Optional[str] = ..., **options: Any) -> Read: ...
def render(plan: Union[Plan, str], format: Optional[str] = ..., path: Optional[_Path] = ...,
           **options: Any) -> Optional[str]: ...
def run(job: Job, cluster: Optional[Cluster] = ..., directory: _Path = ..., plan: Optional[Plan] = ...,
        history: Optional[_Path] = ..., shell: bool = ..., keep_going: bool = ..., **options: Any) -> Ran: ...
def simulate(workload: Union[_Path, Iterable[Job]], cluster: Optional[Cluster] = ..., policy: str = ...,
             **options: Any) -> Any: ...
def history(path: _Path, job: Optional[str] = ...) -> Any: ...
