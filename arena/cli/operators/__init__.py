"""Commands for operators, who run a service and maintain its data."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

data_option: Final = click.option(
    "--data",
    default="botequim-data",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the embedded database, used if REDIS_URL is not set.",
)
