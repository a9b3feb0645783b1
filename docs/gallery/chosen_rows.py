import numpy as np

x = np.zeros(3)
y = x[[0, 1]]
y += 1
x[[2, 2]] += 1
print(x, y)
