"""What every request passes through: server, connections, tokens, the contract, errors and metrics."""
