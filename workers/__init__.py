"""Botequim's worker processes, on top of :mod:`arena`: jobs, scheduler, webhooks and archiver."""
