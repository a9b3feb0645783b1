"""A consistency loss that goes through the teacher, whose weights follow the student's before backward has run."""

import torch
from torch import nn

torch.manual_seed(0)
student, student_head, teacher_head = nn.Linear(6, 4), nn.Linear(4, 3), nn.Linear(4, 3)


@torch.no_grad()
def follow(teacher, student, momentum=0.99):
    for slow, fast in zip(teacher.parameters(), student.parameters(), strict=True):
        slow.mul_(momentum).add_(fast, alpha=1 - momentum)  # overwritten


optimizer = torch.optim.SGD([*student.parameters(), *student_head.parameters()], lr=0.1)
for x in torch.randn(2, 5, 6):
    features = student(x)
    loss = nn.functional.mse_loss(student_head(features), teacher_head(features))  # kept
    optimizer.zero_grad()
    follow(teacher_head, student_head)  # fix:
    loss.backward()  # fails  # fix: loss.backward(); follow(teacher_head, student_head)
    optimizer.step()
