"""What runs inside the sandbox; nothing here is imported outside."""
