"""Reads what people type, paste and save: texts, names, times, numbers, tables, rosters and files. The API,
the pages and the commands use it alike. Invalid input is refused with one line.
"""
