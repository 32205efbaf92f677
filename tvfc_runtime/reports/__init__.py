"""What a job tells of itself while it runs, to those who collect logs, metrics and lineage.

batch.py: what one batch has done · log.py: lines on stderr, as text or as JSON · telemetry.py:
metrics and spans for OpenTelemetry · lineage.py: runs for OpenLineage, datasets.py: what it calls
sources and sinks
"""
