"""7xx: what `tvfc upgrade`, `tvfc savepoint` and `tvfc switch` say."""

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
    Code(
        code="TVF758",
        title="a switch to other rows",
        explanation=(
            "`tvfc switch` has the tables of two jobs take each other's names, once `tvfc diff` finds the\n"
            "same in them. Readers would find other rows here than before. If both jobs have read the\n"
            "same and come to the same clock, that is what the new query says; with\n"
            "--accept-differences it is done."
        ),
        failing="-- tvfc switch cp cp2, while cp2 has not read all that cp has",
        mended="-- both jobs with --available-now; then tvfc switch cp cp2",
    ),
    Code(
        code="TVF759",
        title="tables that cannot be switched",
        explanation=(
            "Two tables take each other's names in one transaction. So both must lie in one database, of\n"
            "SQLite, DuckDB or Postgres, and in one schema of it, each with the rows of its job alone. In\n"
            "Postgres views and rights go with a table and not with its name; the message says which."
        ),
        failing="-- tvfc switch cp cp2, where the new job writes to a database of its own",
        mended="-- the new job with --option live.table=live_green, in the database of the old one",
    ),
)
