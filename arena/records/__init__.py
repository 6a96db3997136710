"""Records of finished games: how they are written, verified and replayed."""
