"""The messages to webhooks: their content, their signatures, and what can go wrong with a call."""
