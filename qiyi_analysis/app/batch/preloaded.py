"""Imported by the server from which children are forked (see qiyi_analysis.app.batch.forked)."""

import gc

from qiyi_analysis.app.batch.in_process import preload, rehearse

preload()
rehearse()
# What is loaded stays: a collection in a child would only copy the memory it shares with the server.
gc.collect()
gc.freeze()
