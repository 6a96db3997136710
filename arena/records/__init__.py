"""Records of finished games: write, verify, replay."""
