"""The rows of the asset tables, one module a stage: frozen models without behaviour of their own.

A table is named by the plural of its record. Not here: how rows are made (`stages`) or stored
(the warehouse client).
"""
