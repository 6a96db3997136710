"""Reads what people type, paste and save: texts, times, numbers, tables and files. The API, the pages and the
commands read by it alike; what is read otherwise is refused with one line.
"""
