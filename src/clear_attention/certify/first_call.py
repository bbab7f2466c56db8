"""The first call of a layer: in which way it is called, with which axes its mask has, and whether it answers at all."""

from __future__ import annotations

import itertools

import numpy as np

from clear_attention.certify import framework, refusals
from clear_attention.certify.case import case, case_sizes, influence, own_place
from clear_attention.certify.framework import NoQueryAxisError, PooledError
from clear_attention.certify.order import moves_with_its_tokens
from clear_attention.certify.subject import WIDER
from clear_attention.certify.verdicts import NotApplicableError, first_line

UNSEEN = 3  # times what counts: a layer whose visible keys change it less is tried with larger weights


def begin(subject):
    """Find a way to call the layer; what goes wrong here is a wrong description, not a broken promise."""
    given_layer = subject.layer
    try:
        find_a_way(subject, given_layer)
    except NoQueryAxisError:
        return  # the rows say so
    if subject.layer is not given_layer:
        framework.make_weights_random(subject.layer, subject.seed)
    refusals.pad_id_without_ids(subject)
    try:
        given = case(subject, next(case_sizes(subject)))
        subject.unsteady = not np.array_equal(subject.run(given), subject.run(given), equal_nan=True)
        if not subject.unsteady:
            subject.padded_last = subject.pooled and (subject.positions or not moves_with_its_tokens(subject))
            see_whether_anything_shows(subject)
    except (NotApplicableError, NoQueryAxisError):
        return  # the rows say so
    except Exception as error:  # such as a layer that takes batches of one size only
        raise refusals.wrongly_described(subject.name, first_line(error)) from error


def find_a_way(subject, layer):
    """Try the call, then the call with more axes for the mask, then other calls, then another length."""
    calls = (subject.call, *subject.guesses)
    errors: list[Exception] = []
    for call, depth in itertools.product(calls, subject.depths):
        subject.use(call)
        subject.depth, subject.cases = depth, {}
        for mask, padding in ways(subject):
            subject.wider = {"mask": mask, "padding": padding}
            try:
                subject.layer = framework.twin_of_unbuilt(layer)
                return answer(subject, errors)
            except NoQueryAxisError:
                raise
            except Exception as error:
                errors.append(error)
    subject.use(calls[0])
    subject.depth, subject.cases = subject.depths[0], {}
    subject.wider = {"mask": "", "padding": ""}
    usual = subject.lengths
    fits = framework.built_depth(layer) in (subject.depth, None)
    for lengths in (usual[:1], (subject.depth,)) if fits else ():  # all that a layer takes which mixes up its axes
        subject.lengths = lengths
        try:
            subject.layer = framework.twin_of_unbuilt(layer)
            answer(subject, (), sentences=1)
        except NoQueryAxisError:
            raise
        except Exception:
            continue
        subject.lengths = usual if lengths == usual[:1] else lengths
        return
    subject.lengths = usual
    raise refusals.wrongly_described(subject.name, first_line(errors[0])) from errors[0]


def ways(subject):
    masks = (WIDER[name] if name in subject.names else ("",) for name in ("mask", "padding"))
    return itertools.product(*masks)


def answer(subject, errors, sentences=2):
    """Call the layer with two sentences, of lengths that are no other size, so that no mask fits by chance."""
    length = subject.lengths[-1]
    size = (sentences, length if subject.causal or not subject.crosses else length - 1, length)
    try:
        subject.run(case(subject, size))
    except PooledError:
        if subject.causal:
            raise
        subject.pooled = not one_number_for_each_token(subject, length)
        subject.one_number_each = not subject.pooled
        subject.run(case(subject, size))
    if "return_weights" in subject.names:
        subject.run_with_weights(case(subject, size))
    for name, axes in subject.wider.items():
        if axes:
            words = f"the layer takes its {name} as {name}{axes}: as {name} alone it raises {first_line(errors[0])}"
            subject.notes.append(words)


def one_number_for_each_token(subject, length):
    """Tell whether an output `(batch, numbers)` has a number for each token."""
    widths = []
    for n in {length, subject.lengths[0], length + 1 if subject.any_length else length}:
        try:
            subject.run(case(subject, (2, n, n)))
        except PooledError as error:
            widths.append(error.args[1] == n)
    return all(widths) and len(widths) > 1


def see_whether_anything_shows(subject):
    """Make weights larger, for the time of the certificate, if they are so small that nothing changes an output."""
    length = subject.lengths[-1]
    given = case(subject, (1, length, length))
    shown = seen(subject, given)
    if shown > UNSEEN or not np.isfinite(subject.run(given)).all():
        return
    if framework.enlarge_small_weights(subject.layer):
        subject.measured = {}
        subject.enlarged = True
        if seen(subject, given) > UNSEEN:
            subject.notes.append("its weights are so small that it was tried with larger ones, in the same proportions")
            return
    subject.too_small = subject.enlarged or (0 < shown <= UNSEEN and np.abs(subject.run(given)).max() < 0.1)


def seen(subject, given):
    """Return the largest change that one token makes to the output of another."""
    return np.where(own_place(subject, given), 0, influence(subject, given)).max()
