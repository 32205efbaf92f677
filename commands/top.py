"""`tvfc top`: what `tvfc status` says, in a terminal, over and over until Ctrl-C."""

from __future__ import annotations

import time

import click
from rich.console import Console
from rich.live import Live
from rich.text import Text

from commands.status import status_text


@click.command()
@click.argument("folder", metavar="DIR")
@click.option(
    "--every",
    type=click.FloatRange(min=0.1),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="How often to look.",
)
def command(folder: str, every: float) -> None:
    """Show what the job with the checkpoint DIR does, live; Ctrl-C ends it, not the job."""
    shown = status_text(folder)
    console = Console()
    if not console.is_terminal:
        raise click.ClickException("tvfc top needs a terminal; tvfc status prints it once")
    with Live(Text(shown), console=console, screen=True, auto_refresh=False) as live:
        try:
            while True:
                live.update(Text(shown), refresh=True)
                time.sleep(every)
                shown = status_text(folder)
        except KeyboardInterrupt:
            return
