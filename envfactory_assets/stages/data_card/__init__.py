"""The data card: what the datasets hold and how they came about, counted from the tables."""
