"""The worker processes of Botequim over :mod:`arena`: jobs, scheduler, webhooks."""
