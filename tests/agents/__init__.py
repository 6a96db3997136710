"""Agents: the official client and conformance checks of the Model Context Protocol, and notes on moves."""
