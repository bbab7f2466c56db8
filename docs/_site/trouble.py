"""MkDocs hook: a disk that is full or may not be written to gets a sentence instead of a traceback."""

import errno

from mkdocs.exceptions import Abort

TROUBLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM}


def on_build_error(error, **kwargs):
    if isinstance(error, OSError) and error.errno in TROUBLE:
        place = f" at {error.filename}" if error.filename else ""
        raise Abort(
            "A build writes to the site's folder and to .cache. Expected: room on the disk and the right to write "
            f"there. Received: {error.strerror}{place}."
        ) from None
