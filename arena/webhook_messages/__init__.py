"""Webhook messages: their content, signatures and errors."""
