"""The compiled loops; nothing else in the package is compiled but the period loop of lists."""
