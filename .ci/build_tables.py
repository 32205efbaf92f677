"""Build hook: the parse tables are made once and shipped, so that no start has to make them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ParseTables(BuildHookInterface[Any]):
    """Hatchling calls it before it packs a wheel, and for an editable installation."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Make the tables in the source tree, and have them packed though git ignores them."""
        make = "import sys; from compiler.syntax.grammar.tables import main; sys.exit(main())"
        subprocess.run([sys.executable, "-c", make], cwd=self.root, check=True)
        build_data["artifacts"].append("compiler/syntax/grammar/built/*.bin")
