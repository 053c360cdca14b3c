"""qiyi_analysis."""
