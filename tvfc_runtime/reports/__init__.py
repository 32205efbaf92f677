"""What a job tells of itself while it runs, to those who collect logs and metrics.

batch.py: what one batch has done · log.py: lines on stderr, as text or as JSON
"""
