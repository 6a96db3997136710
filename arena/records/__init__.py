"""Records of finished games: writing, verifying and replaying them."""
