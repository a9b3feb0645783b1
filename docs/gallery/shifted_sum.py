import numpy as np

x = np.array([1, 2, 3, 4])
left = x[:-1]
right = x[1:]
right += left
print(x)
