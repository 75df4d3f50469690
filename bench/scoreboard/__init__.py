"""The scoreboard: what the files of bench/results say, as rows, as a page, and beside each other."""
