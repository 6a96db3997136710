"""The API's resources, one blueprint each."""
