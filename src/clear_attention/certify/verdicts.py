"""What a promise may raise instead of being held."""


class NotApplicableError(Exception):
    """The promise says nothing about this subject."""


class BrokenError(Exception):
    """The promise is broken; the second argument is the smallest example."""
