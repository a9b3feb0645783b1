import inplacelab as paddle

w = paddle.to_tensor([2.], stop_gradient=False)
sgd = paddle.optimizer.SGD(learning_rate=0.1, parameters=[w])
first = (w * w).sum()
second = (w * w * w).sum()
first.backward()
sgd.step()
second.backward()
