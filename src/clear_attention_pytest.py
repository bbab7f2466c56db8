"""A pytest plugin: the fixture `assert_certified`, for the test suite of any project that has this package."""

import pytest


@pytest.fixture(scope="session")
def assert_certified():
    """Give a function that certifies a layer, and fails with every broken promise and its smallest example.

    It takes what `clear_attention.certify` takes, and `allow`, the names of promises that may be broken.
    """
    from clear_attention import certify  # not before it is used: TensorFlow takes seconds to import

    def check(layer, call=None, convention=None, *, allow=(), **options):
        __tracebackhide__ = True
        certificate = certify(layer, call, convention, **{"progress": False, **options})
        certificate.raise_for_failures(allow=allow)
        return certificate

    return check
