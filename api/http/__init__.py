"""The layers that every request passes through: server, connections, tokens, contract, errors and metrics."""
