"""What a generated job is built with, and the program that runs it."""
