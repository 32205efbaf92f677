"""What a generated job says of itself, as data: its query and state, its sources and sinks."""
