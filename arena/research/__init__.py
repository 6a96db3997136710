"""The games for research: environments of PettingZoo and OpenSpiel, and data sets of recorded decisions."""
