"""The tool graph stage: leaves, similarity, labels, review, precedence, links, scores, pictures.

Start at `building`. Only `ground_truth` and `scores` read declared identifier types; everything
that decides sees `leaves`, which do not carry them. Not here: drawing chains (`stages.chains`).
"""
