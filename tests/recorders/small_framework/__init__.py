"""Records programs that use `vectors`, a small framework without gradients. The test adds this folder to those in `inplacelab/frameworks/`."""

from inplacelab.supported import Framework, Terms

FRAMEWORK = Framework(
    name="vectors",
    title="Vectors",
    rank=95,
    imports=("vectors",),
    alias="vectors",
    requires="vectors",
    tested="1.0",
    terms=Terms(flag="", words=(("tensor", "vector"), ("Tensor", "Vector"), ("张量", "向量"))),
    recorder=f"{__name__}.recorder:VectorRecorder",
)
