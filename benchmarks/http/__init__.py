"""``botequim bench http``: what the service costs beside a route that does nothing else than the database."""
