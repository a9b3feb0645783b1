"""Two programs, or several ranks, side by side: their scenes, pictures, data for the player, and widgets."""
