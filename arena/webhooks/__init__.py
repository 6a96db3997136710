"""Bots that are called: the turn is posted to the bot's URL, signed, and the reply is the answer."""
