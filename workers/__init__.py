"""The worker processes of Botequim on top of :mod:`arena`: jobs, scheduler and webhooks."""
