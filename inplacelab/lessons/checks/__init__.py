"""Checks of the exercises, and their hints: one module for each lesson, named like its source."""
