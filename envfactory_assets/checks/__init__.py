"""Great Expectations suites as asset checks, one module a stage."""
