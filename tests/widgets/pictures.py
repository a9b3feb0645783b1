"""What still pictures are made of."""

TAGS = {"svg", "title", "desc", "style", "g", "rect", "path", "text", "tspan", "circle", "image"}
