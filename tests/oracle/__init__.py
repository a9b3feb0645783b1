"""A second opinion: random programs, judged by an interpreter that shares no code with inplacelab.

    program     what a program is: statements on named tensors, as data
    wording     the same program as Paddle code and as PyTorch code
    jets        numbers that carry their first and second derivatives
    reference   the interpreter: flat storages, tables of slots, jets
    frameworks  runs the code on inplacelab, PyTorch and PaddlePaddle
    outcome     what is left when a program is over, in whatever framework it ran
    verdict     compares outcomes: agreement, refusal, defect
    generate    random programs;  shrink: smaller ones with the same verdict
    campaign    many programs and the table of counts:  python -m tests.oracle --programs 1000 --torch --paddle
"""
