"""Griffe extension: the package's __all__ says which names of a module are public.

Each name is documented in the module it comes from. Without this, helpers that modules share would be published.
"""

import griffe


class Public(griffe.Extension):
    def on_package(self, *, pkg, **kwargs):
        for name in pkg.exports or []:
            if pkg[name].is_module:
                continue  # a function named after its module, which exports it itself
            home = pkg.modules.get(pkg[name].target_path.rsplit(".", 1)[0].removeprefix(f"{pkg.name}."))
            if home is not None:
                home.exports = [*(home.exports or []), name]
