"""The regulations as dated rule files: their vocabulary, and which edition an event is judged by.

The files themselves lie in ``qiyi_analysis/rulesets``. May import: words, model, files.
"""
