"""A pytest plugin: the fixture `assert_certified`, for the test suite of any project that has this package."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from clear_attention import Certificate
    from clear_attention._types import Convention
else:
    Certificate = Convention = Any  # TensorFlow takes seconds to import


@pytest.fixture(scope="session")
def assert_certified() -> Callable[..., Certificate]:
    """Return a function that certifies a layer, and fails with every broken promise and its smallest example.

    It takes what `clear_attention.certify` takes, and `allow`, the names of promises that may be broken.
    """
    from clear_attention import certify  # not before it is used: TensorFlow takes seconds to import

    def check(
        layer: Callable[..., Any],
        call: Callable[..., Any] | None = None,
        convention: Convention | None = None,
        *,
        allow: Collection[str] = (),
        **options: Any,
    ) -> Certificate:
        __tracebackhide__ = True
        certificate = certify(layer, call, convention, **{"progress": False, **options})
        certificate.raise_for_failures(allow=allow)
        return certificate

    return check
