"""A process that holds the published database open, read-only, until its input closes.

Says "open" once it does; at the end prints how many rows it saw first and last.
"""

import sys

import duckdb

connection = duckdb.connect(sys.argv[1], read_only=True)
first = len(connection.sql("SELECT * FROM rows__history").fetchall())
sys.stdout.write("open\n")
sys.stdout.flush()
sys.stdin.read()
last = len(connection.sql("SELECT * FROM rows__history").fetchall())
sys.stdout.write(f"{first} {last}\n")
connection.close()
