"""Running tournaments: lifecycle, admission, qualification, groups, boards, schedules."""
