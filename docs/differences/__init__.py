"""The page of differences, for its authors: the table of programs, the queries to the three frameworks, the data and the page."""
