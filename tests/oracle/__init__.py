"""A second opinion: random programs, judged by an interpreter that shares no code with inplacelab.

Which module has which idea:

    program        what a program is: statements on named tensors, as data
    wording        the same program as Paddle code and as PyTorch code
    jets           numbers that carry their first and second derivatives; functions: what they can be put into
    memory         flat storages and tables of slots; tables: what a view does to a table
    reference      the interpreter: what each statement means; aftermath: what is left after a whole program
    frameworks     runs the code on inplacelab, PyTorch and PaddlePaddle
    outcome        what is left when a program is over, in whatever framework it ran
    verdict        compares outcomes: agreement, refusal, defect; paddle: how the real PaddlePaddle fares
    generate       random programs; statements: what the next statement may be; keys: what stands in brackets
    shrink         smaller programs with the same verdict
    campaign       many programs and the table of counts: `python -m tests.oracle --programs 1000 --torch --paddle`
"""
