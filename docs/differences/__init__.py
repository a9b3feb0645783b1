"""The page of differences, for its authors: the entries, the queries to the three frameworks, the data and the page."""
