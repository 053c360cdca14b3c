"""Reports: from a calculation to PDF, HTML, workbook and executed notebook.

May import everything but app.
"""
