"""Runs only the API, using the database at ``REDIS_URL``: ``python -m api``."""

from __future__ import annotations

import os
import sys

os.execv(sys.executable, [sys.executable, "-m", "gunicorn", "-c", "python:api.http.gunicorn_conf"])
