"""What runs inside the sandbox; outside, only `modules` and `protocol` of it are imported."""
