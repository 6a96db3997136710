"""The commands for operators, which run a service and work on its data."""
