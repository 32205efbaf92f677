"""What a sink refuses."""


class SinkError(Exception):
    """A sink cannot take the rows of a job; the message says why and what to do."""
