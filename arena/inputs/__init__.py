"""Reads what people type, paste and save: texts, times, numbers, tables and files. The API, the pages and the
commands use it alike. Invalid input is refused with one line.
"""
