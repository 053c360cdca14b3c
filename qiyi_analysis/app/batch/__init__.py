"""Many reports in one go: jobs from a table, run on all cores or on a Dask cluster, resumable."""

from qiyi_analysis.app.batch.jobs import Job, read_jobs
from qiyi_analysis.app.batch.outcome import Outcome
from qiyi_analysis.app.batch.run import run_batch

__all__ = ["Job", "Outcome", "read_jobs", "run_batch"]
