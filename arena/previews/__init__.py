"""Pictures for links to the service in messengers: what they show, how they are drawn, and their cache."""
