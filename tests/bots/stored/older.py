"""A bot as it was written before there was ``botequim``."""

import arena.bots
from arena.bots import Bot
from arena.bots.redeal import redeal


class Older(Bot):
    def choose(self, turn):
        assert arena.bots.Bot is Bot
        world = redeal(turn, self.random)
        return self.random.choice(world.legal_actions(turn["seat"]))
