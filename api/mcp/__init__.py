"""The service as tools for agents, by the Model Context Protocol: one POST view, which calls the API."""
