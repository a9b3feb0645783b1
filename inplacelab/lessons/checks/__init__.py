"""What the exercises of the lessons accept, and the hints: one module a lesson, named as its source is."""
