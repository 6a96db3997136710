"""What ``make bench*`` runs; not part of the installed package."""
