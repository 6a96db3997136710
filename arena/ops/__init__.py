"""Operation of the service: settings, jobs, rate limits, and the supervisor of its processes."""
