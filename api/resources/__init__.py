"""The API's resources, one blueprint per module."""
