"""High card for two to four: a game that only the tests play, to show what a game consists of.

Everybody gets three cards a hand. The leader plays one, the others follow with whatever they like, and the
highest card takes the trick, leads the next one and scores a point. Suits only break ties, in the order of
the pack. After a number of hands the most points win.
"""
