"""A second opinion: random programs, judged by an interpreter that shares no code with inplacelab.

The modules:

    program        programs as data: statements on named tensors
    wording        the same program as Paddle code and as PyTorch code
    jets           numbers that carry their first and second derivatives; functions: functions of jets
    memory         flat storages and tables of slots; tables: the effect of views on tables
    reference      the interpreter: the meaning of each statement; run_reference: the outcome of a whole program
    frameworks     runs the code on inplacelab, PyTorch and PaddlePaddle
    outcome        the state after a program, in any framework
    verdict        compares outcomes: agreement, refusal, defect; paddle: how the real PaddlePaddle fares
    generate       random programs; statements: random statements; keys: random keys for brackets
    shrink         smaller programs with the same verdict
    campaign       many programs and the table of counts: `python -m tests.oracle --programs 1000 --torch --paddle`
"""
