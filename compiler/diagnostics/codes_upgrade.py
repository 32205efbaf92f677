"""7xx: what `tvfc upgrade` and `tvfc savepoint` say."""

from __future__ import annotations

from compiler.diagnostics.code import Code

UPGRADE_CODES = (
    Code(
        code="TVF754",
        title="a checkpoint that is not put together",
        explanation=(
            "`tvfc upgrade` and `tvfc savepoint` make a checkpoint file by file, and mark it until it\n"
            "is whole. One that was cut short is not continued: what it lacks would be missing in the\n"
            "result. The same command with the same --to makes it anew; the checkpoint that it was to\n"
            "follow is untouched."
        ),
        failing="-- tvfc upgrade cp new.sql --to cp2, killed; spark-submit job.py --checkpoint cp2",
        mended="-- tvfc upgrade cp new.sql --to cp2, once more; then spark-submit",
    ),
    Code(
        code="TVF755",
        title="a checkpoint that cannot be taken over",
        explanation=(
            "What another query is to go on with must be that of a job that has stopped behind a\n"
            "batch, in a form that this version of tvfc knows. The message says what is in the way,\n"
            "and what to do."
        ),
        failing="-- tvfc upgrade cp new.sql --to cp2, while the job runs",
        mended="-- stop the job; then tvfc upgrade cp new.sql --to cp2",
    ),
    Code(
        code="TVF756",
        title="an upgrade that loses something",
        explanation=(
            "Some of what the checkpoint holds has no place in the new query, or some of what that\n"
            "would hold cannot be had any more: `tvfc plan` says what, and why. With --accept-loss it\n"
            "is given up. Otherwise the new query can begin anew on a checkpoint of its own, as far as\n"
            "its sources still have their rows."
        ),
        failing="-- tvfc upgrade cp new.sql --to cp2, where new.sql has a sink less, for which rows wait",
        mended="-- tvfc upgrade cp new.sql --to cp2 --accept-loss",
    ),
)
