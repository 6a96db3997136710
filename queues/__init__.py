"""The job queues in RQ: the API and the workers request jobs through it."""
