import inplacelab as paddle

h = paddle.zeros([2])
states = []
for step in range(3):
    h.add_(paddle.ones([2]))
    states.append(h)
print([state.tolist() for state in states])
