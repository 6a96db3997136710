"""The reference page of all commands: ``python -m arena.cli.reference > docs/commands.md``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import click

from arena.cli import SECTIONS, botequim
from arena.cli.messages import shown_parameter

_HEAD: Final = """# Commands

`botequim COMMAND --help` shows the options and examples of a command. To regenerate this page, run
`python -m arena.cli.reference > docs/commands.md`.

## Which service, and whose token

`botequim login` stores a service and a token as a *profile* in `botequim/config.ini` in `$XDG_CONFIG_HOME`
(by default `~/.config`). Only its user can read the file. `botequim logout` removes a profile, but the token
remains valid.

```sh
botequim signup ana --url https://botequim.example | botequim login --url https://botequim.example
botequim bot register ana-bot | botequim login --url https://botequim.example --profile ana-bot
botequim bot run my_bot.py --profile ana-bot
botequim whoami
```

In order of precedence, commands use the options `--url` and `--token`; the variables `BOTEQUIM_URL` and
`BOTEQUIM_TOKEN`; and the profile set by `--profile` or `BOTEQUIM_PROFILE`, else the profile `default`. The
token of a profile is sent only to the service in that profile.

## Output

Results go to standard output, progress and warnings to standard error. On a terminal, progress is a bar with
the remaining time at the rate of the last minute; elsewhere, it is one line per event and every ten seconds.
`--json` prints the API's response. Lists contain all pages, as in `{"bots": [...]}`. Local commands have
their own JSON formats.

The exit code is 0 for success, 1 if the command found a problem that it checks for (such as a fault, or a
record that does not verify), 2 for an error, which is one line on standard error, and 130 after Ctrl-C.

## Services and files that you do not trust

Commands can be used on any service and any file. Texts from them cannot control the terminal: unprintable
characters are escaped as in JSON. What commands read is bounded, and unexpected contents end the command
with one line that says what and where.

| what | bounds |
|---|---|
| a reply of a service, an event of a stream | 256 MiB, 4,000,000 values or lines |
| the time for a reply | the timeout, and one more second for each KiB, up to ten minutes |
| a record | 16 MiB, 1,000,000 values |
| a gzipped file of records | 100 times its size, and one record |
| empty lines in a file of records | 1 MiB |
| records with problems in a file that `verify` reads | 10,000, of each 100 problems |
| a bot, a source, a JSON file, the state of a download | 64 MiB, 1,000,000 values |
| a roster, the configuration | 1 MiB |
| an entry of an archive | 256 MiB, 100,000 lines |

`invalid_reply` means that a service sent something other than the API describes, or more than these bounds:
it is not a service of Botequim, or of another version, or something between changes its replies. The message
names the operation and the place of the wrong value. Records come from anybody; `botequim verify` proves what
they say about a game. Only these run what they are given: bots that are loaded without `--sandbox`, and
programs (`cmd:`). A backup decides what a service stores, so restore only your own.

## Completion

    echo 'eval "$(botequim completion bash)"' >> ~/.bashrc
    echo 'eval "$(botequim completion zsh)"' >> ~/.zshrc
    botequim completion fish > ~/.config/fish/completions/botequim.fish
"""


def reference() -> str:
    """Return the page in Markdown."""
    root = click.Context(botequim, info_name="botequim")
    names = botequim.list_commands(root)
    placed = {name for section in SECTIONS.values() for name in section}
    sections = [*SECTIONS.items(), ("More", [name for name in names if name not in placed])]
    parts = [_HEAD]
    for title, listed in sections:
        rows = [
            row
            for name in listed
            if (command := botequim.get_command(root, name)) is not None
            for row in _rows(name, command, root)
        ]
        if rows:
            heading = "| command | what it does | options |\n|---|---|---|"
            parts.append("\n".join([f"## {title}", "", heading, *rows, ""]))
    return "\n".join(parts)


def _rows(name: str, command: click.Command, parent: click.Context) -> Iterator[str]:
    ctx = click.Context(command, info_name=name, parent=parent)
    if isinstance(command, click.Group):
        for inner in command.list_commands(ctx):
            child = command.get_command(ctx, inner)
            assert child is not None
            yield from _rows(f"{name} {inner}", child, ctx)
        return
    arguments = [piece for piece in command.collect_usage_pieces(ctx) if piece != command.options_metavar]
    options = [
        f"`{shown_parameter(parameter)}`"
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.hidden
    ]
    usage = " ".join([name, *arguments]).replace("|", "\\|")
    text = command.get_short_help_str(limit=1000).replace("|", "\\|")
    yield f"| `{usage}` | {text} | {' '.join(options)} |"


if __name__ == "__main__":
    print(reference(), end="")
