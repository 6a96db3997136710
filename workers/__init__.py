"""The RQ side of Botequim: queues, jobs and process entry points over :mod:`arena`."""
