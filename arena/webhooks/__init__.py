"""Webhook bots: each turn is signed and posted to the bot's URL, and the reply is the answer."""
