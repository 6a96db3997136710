"""The schemas of requests and responses: the single source of the API's contract."""
