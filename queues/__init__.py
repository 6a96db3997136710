"""RQ job queues, through which the API and the workers request jobs."""
