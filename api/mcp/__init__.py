"""The service as tools for agents, using the Model Context Protocol: one POST view that calls the API."""
