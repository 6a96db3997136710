"""Parses what people type, paste and save: texts, names, times, numbers, tables, rosters and files. The API,
the web pages and the commands all use it. Errors about invalid input fit on one line.
"""
