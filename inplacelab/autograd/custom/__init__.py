"""Operations of one's own: their grad nodes, what they keep, and what becomes of one call. `PyLayer` is their public face."""
