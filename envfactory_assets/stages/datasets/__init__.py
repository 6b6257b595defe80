"""Datasets: splits, rows for supervised fine-tuning and for reinforcement learning, and files."""
