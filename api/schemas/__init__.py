"""The shapes of requests and responses: the one source of the API's contract."""
