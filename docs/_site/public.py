"""Griffe extension: what the reference shows of the package is what its users see.

The package's __all__ says which names of a module are public. Each is documented in the module it comes from; helpers
and base classes that modules share are not shown. The arguments of a call are a list, `**kwargs` have no default, and
types are for programs: the words say more, shapes and dtypes.
"""

import re

import griffe

CALL = re.compile(r"(?<=\nCall arguments:\n)(?:    .*\n)+")
ARGUMENT = re.compile(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", re.M)


class Public(griffe.Extension):
    def on_package(self, *, pkg, **kwargs):
        for name in pkg.exports or []:
            if pkg[name].is_module:
                continue  # a function named after its module, which exports it itself
            home = pkg.modules.get(pkg[name].target_path.rsplit(".", 1)[0].removeprefix(f"{pkg.name}."))
            if home is not None and name not in (home.exports or []):  # a package lists its own
                home.exports = [*(home.exports or []), name]

    def on_class(self, *, cls, **kwargs):
        shown = [base for base in cls.bases if str(base).startswith("keras.")]
        is_layer = {"build", "call"} & cls.members.keys()  # some are called as a class of ours says
        cls.bases = shown or (["keras.Layer"] if is_layer else cls.bases)
        if cls.docstring:
            cls.docstring.value = CALL.sub(lambda m: ARGUMENT.sub(item, m[0]), cls.docstring.value)

    def on_function(self, *, func, **kwargs):
        func.returns = None
        for parameter in func.parameters:
            parameter.annotation = None
            if parameter.kind in (griffe.ParameterKind.var_positional, griffe.ParameterKind.var_keyword):
                parameter.default = None

    def on_attribute(self, *, attr, **kwargs):
        attr.annotation = None


def item(argument):
    return f"    - `{argument[1]}`: {argument[2]}"
