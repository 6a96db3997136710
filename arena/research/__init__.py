"""The games for research: PettingZoo and OpenSpiel environments, and data sets of recorded decisions."""
