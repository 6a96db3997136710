"""The job queues in RQ, through which the API and the workers request jobs."""
