"""The viewer: one self-contained HTML page on which a person reads every trajectory.

`writing.write_viewer(path, corpus, catalog)` is the entry. What the browser runs lies in `page/`:
plain HTML, CSS and JavaScript, put into the page when it is written. Not here: choosing or changing
rows (`stages.trajectories`), the dataset files (`stages.datasets`).
"""
