"""A Toepen bot in a few lines: keep the highest cards for the last trick, fold without one."""

from arena.bots import Bot

LOW_TO_HIGH = "JQKA789T"


def rank(card):
    return LOW_TO_HIGH.index(card[0])


class LastTrick(Bot):
    def choose(self, turn):
        actions = turn["legal_actions"]
        hand = turn["observation"]["cards"]
        best = max(map(rank, hand), default=0)
        plays = [action for action in actions if action.startswith("play:")]
        if plays:
            knocks = [action for action in actions if action.startswith("knock:")]
            if knocks and best == 7 and len(hand) <= 2:
                return knocks[0]
            return min(plays, key=lambda action: rank(action[5:]))
        answers = [action for action in actions if action.startswith("stay:" if best >= 6 else "fold:")]
        if answers:
            return answers[0]
        if "exchange" in actions and best < 4:
            return "exchange"
        return actions[-1]
