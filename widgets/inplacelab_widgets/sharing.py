"""Exports steps for sites and messages, where no page can be played: one step as a card, several as an animation."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from inplacelab.language import columns, get_language
from inplacelab.recording.recording import Recording
from inplacelab_widgets.raster import gif, png
from inplacelab_widgets.scene import Scene, key_step, scene_of
from inplacelab_widgets.scene.card import cards
from inplacelab_widgets.scene.key_steps import story

__all__ = ["check_seconds", "drawn_from", "reading_times", "to_card", "to_gif"]

MOST_FRAMES = 24
"""The most steps that an animation shows, if the caller does not choose them."""
_SHORTEST, _LONGEST, _LAST = 2.0, 6.0, 1.5
_COLUMNS_PER_SECOND = 28.0
"""How fast a sentence is read, while the picture is looked at too."""


def to_card(
    recording: Recording | Scene,
    step: int | None = None,
    path: str | Path | None = None,
    *,
    language: str | None = None,
) -> bytes:
    """Returns a step as a PNG of 1200 x 675 pixels: what it did, its code, the storages. Needs the extra `png`.

    Args:
        recording: the recording to draw, or a scene already laid out.
        step: the step, counted from 0; negative numbers count from the end. By default the key step: the error, or else the last write.
        path: a file to write the picture to; none is written if not given.
        language: "en" or "zh"; the current language if not given.

    Returns:
        The PNG file's bytes.

    Raises:
        ImportError: if resvg is not installed; the message says how to install it.
        NoFontError: if the system has no font for the words.
        IndexError: if the recording has no such step.
        ValueError: if the recording has no steps.
    """
    scene, language = _scene(recording), language or get_language()
    chosen = key_step(scene.recording) if step is None else scene.recording.state(step).step.index
    return _written(png(cards(scene, [chosen], language)[0], 1, language), path)


def to_gif(
    recording: Recording | Scene,
    steps: Sequence[int] | None = None,
    path: str | Path | None = None,
    *,
    seconds: float | None = None,
    language: str | None = None,
) -> bytes:
    """Returns steps as an animated GIF of 1200 x 675 pixels, which begins again at its end. Needs the extra `share`.

    Args:
        recording: the recording to draw, or a scene already laid out.
        steps: the steps to show, counted from 0; negative numbers count from the end. By default all steps; of a recording with more than 24
            steps the interesting ones, and if these are more, too, the key steps.
        path: a file to write the animation to; none is written if not given.
        seconds: how long each step is shown; by default long enough to read its sentence, and the last one longer.
        language: "en" or "zh"; the current language if not given.

    Returns:
        The GIF file's bytes.

    Raises:
        ImportError: if resvg or Pillow is not installed; the message says how to install it.
        NoFontError: if the system has no font for the words.
        IndexError: if the recording has no such step.
        ValueError: if the recording has no steps, no step is given, or `seconds` is not at least 0.02: browsers show shorter frames slower.
    """
    scene, language = _scene(recording), language or get_language()
    check_seconds(seconds)
    chosen = _telling(scene) if steps is None else [scene.recording.state(step).step.index for step in steps]
    if not chosen:
        raise ValueError("no steps are given to show")
    pictures = cards(scene, chosen, language)
    said = [scene.sentence(step).in_language(language) for step in chosen]
    shown = reading_times(said) if seconds is None else [seconds] * len(chosen)
    return _written(gif(pictures, shown, language, drawn_from(pictures)), path)


def drawn_from(pictures: Sequence[str]) -> str:
    """Returns a digest of the pictures of an animation, which is noted in the GIF. The pixels depend on the fonts of the machine; this does not."""
    return f"inplacelab {sha256(''.join(pictures).encode()).hexdigest()}"


def _telling(scene: Scene) -> list[int]:
    recording = scene.recording
    if len(recording) <= MOST_FRAMES:
        return [step.index for step in recording.steps]
    key_steps = tuple(chapter.step for chapter in story(recording))
    chosen = sorted({*scene.interesting, *key_steps})
    return chosen if len(chosen) <= MOST_FRAMES else [*key_steps]


def check_seconds(seconds: float | None) -> None:
    """Checks how long each picture of an animation is shown.

    Raises:
        ValueError: if a browser would not show it so, or nobody would wait.
    """
    if seconds is not None and not 0.02 <= seconds <= 600:
        raise ValueError(f"seconds must be from 0.02 to 600, not {seconds}")


def reading_times(said: Sequence[str]) -> list[float]:
    """Returns how long it takes to read each of some sentences, and to look at a picture, in seconds; the last one longer."""
    times = [min(_LONGEST, max(_SHORTEST, columns(each) / _COLUMNS_PER_SECOND)) for each in said]
    return [*times[:-1], times[-1] + _LAST]


def _scene(recording: Recording | Scene) -> Scene:
    return recording if isinstance(recording, Scene) else scene_of(recording)


def _written(file: bytes, path: str | Path | None) -> bytes:
    if path is not None:
        Path(path).write_bytes(file)
    return file
