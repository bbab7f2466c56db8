"""Plant small faults in the source, one at a time, and see whether the tests notice: `make mutate`.

Cosmic Ray says what to change: a sign, a comparison, a number, a switch. Each fault gets a process that imports the
changed module and runs its tests up to the first failure. No file is touched. Faults that were found stay found in
.cache/mutation.json, so that a run can be broken off.

Faults that no test can find, because they change nothing that anybody sees, stand in survivors.toml with the reason:
they count as not found, and are not tried again. The result of each module is kept for the page "How it is tested";
`python -m faults.mutate masks/create` tries one of them.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import json
import os
import sys
import time
import tomllib

from faults.plant import ROOT, run_all
from faults.record import RESULTS, facts, record

FOUND = ROOT / ".cache" / "mutation.json"
LAWS = ["tests/laws"]
LAYERS = ["test_cache", "test_layer_contract"]
HEADS = ["test_heads", "test_causal_flag", "test_blockwise_layer", "test_weights"]
NOT_A_LAW = "tests/laws/test_function_laws.py::test_the_cases_are_many_and_different"
TESTS = {
    "attention": [
        *("test_attention_layer", "test_attention", "test_score_rules", "test_nonfinite", "test_layer_contract"),
        *LAWS,
    ],
    "masks/create": ["test_masks", "test_masks_report", "test_score_rules", "test_attention_layer", "test_blocks"],
    "heads/layer": [*HEADS, "test_score_rules", "test_rotary", "test_biases", *LAYERS],
    "heads/cached": [*HEADS, "test_rotary", *LAYERS],
    "heads/splitting": ["test_heads"],
    "heads/steps": [*HEADS, "test_score_rules", "test_rotary", *LAYERS],
    "cache": ["test_cache", "test_generation"],
    "positions": ["test_positions", "test_layer_contract", "test_transformer"],
    "rotary": ["test_rotary"],
    "biases": ["test_biases", "test_blockwise_rules"],
    "blocks": ["test_blocks", "test_layers", "test_options_inside", "test_nonfinite", *LAYERS],
    "blockwise/blocks": ["test_blockwise_blocks", "test_blockwise_rules"],
    "blockwise/groups": ["test_blockwise_groups", "test_blockwise_order"],
    "blockwise/keys": ["test_blockwise_keys"],
    "blockwise/passes": ["test_blockwise_passes", "test_blockwise_rules", "test_blockwise_random", "test_blockwise"],
}
SWAPS = {  # of the eleven things an operator can become, those that still compute something
    "Binary": "Add_Sub Sub_Add Mul_Div Div_Mul FloorDiv_Mul Pow_Mul Mod_Mul BitOr_BitAnd BitAnd_BitOr",
    "Comparison": "Eq_NotEq NotEq_Eq Lt_LtE Lt_GtE LtE_Lt LtE_Gt Gt_GtE Gt_LtE GtE_Gt GtE_Lt Is_IsNot IsNot_Is",
    "Unary": "Delete_USub Delete_Not Delete_Invert",
}
OTHERS = "AddNot ReplaceTrueWithFalse ReplaceFalseWithTrue ReplaceAndWithOr ReplaceOrWithAnd NumberReplacer"
OTHERS += " RemoveDecorator ZeroIterationForLoop ReplaceBreakWithContinue ReplaceContinueWithBreak ExceptionReplacer"
GOAL = 0.9


def operators():
    from cosmic_ray.plugins import get_operator

    names = [f"Replace{kind}Operator_{swap}" for kind, swaps in SWAPS.items() for swap in swaps.split()]
    return [get_operator(f"core/{name}")() for name in (*names, *OTHERS.split())]


def meaning(source):
    """Return what a module does: its tree without annotations, which nobody evaluates."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            if getattr(node, name, None) is not None:
                setattr(node, name, ast.Constant(None) if name == "annotation" else None)
    return ast.dump(tree)


def mutants(source):
    """Yield each changed source once, if it parses and means something else."""
    from cosmic_ray.mutating import mutate_code

    seen = {meaning(source)}
    for operator in operators():
        number = 0
        while (changed := mutate_code(source, operator, number)) is not None:
            number += 1
            try:
                what = meaning(changed)
            except SyntaxError:
                continue
            if what not in seen:
                seen.add(what)
                yield changed


def difference(source, changed):
    """Return the changed lines, before and after."""
    lines = list(difflib.ndiff(source.splitlines(), changed.splitlines()))
    return tuple(" ".join(line[2:].strip() for line in lines if line.startswith(sign)) for sign in ("- ", "+ "))


def path_of(module):
    return ROOT / "src" / "clear_attention" / f"{module}.py"


def tests_of(module):
    tests = [test if "/" in test else f"tests/{test}.py" for test in TESTS[module]]
    return [str(path_of(module)), *tests, "--deselect", NOT_A_LAW]


def try_all(module, found, explained):
    """Plant all faults of a module that were not yet found and are not explained.

    Return what no test found, the explanations that fit no fault, and how many faults there are.
    """
    path, tests = path_of(module), tests_of(module)
    source = path.read_text(encoding="utf-8")
    changes = {hashlib.sha256(changed.encode()).hexdigest(): changed for changed in mutants(source)}
    differences = {key: difference(source, changes[key]) for key in changes if key not in found}
    todo, survivors, limit = [key for key, lines in differences.items() if lines not in explained], [], None
    print(f"{module}: {len(todo)} faults to plant", flush=True)
    if todo:
        start = time.monotonic()
        if next(run_all([(None, path, source, tests)]))[1]:
            sys.exit(f"the tests of {module} fail without any fault: {' '.join(TESTS[module])}")
        limit = 3 * (time.monotonic() - start) + 30
    for key, code in run_all([(key, path, changes[key], tests) for key in todo], limit):
        if code:
            found[key] = module
            FOUND.write_text(json.dumps(found))
        else:
            survivors.append(differences[key])
    survivors += [lines for lines in differences.values() if lines in explained]
    print(f"{module}: {len(changes) - len(survivors)} of {len(changes)} faults found")
    return survivors, explained - set(survivors), len(changes)


def main():
    os.chdir(ROOT)
    os.environ |= {"LAWS_PROFILE": "short", "CUDA_VISIBLE_DEVICES": "-1", "TF_ENABLE_ONEDNN_OPTS": "0"}
    import keras  # noqa: F401 - imported before all forks, and with it TensorFlow

    FOUND.parent.mkdir(exist_ok=True)
    found = json.loads(FOUND.read_text()) if FOUND.exists() else {}
    known = tomllib.loads((ROOT / "faults" / "survivors.toml").read_text(encoding="utf-8"))
    failed = False
    for module in sys.argv[1:] or TESTS:
        explained = {(entry["before"], entry["after"]) for entry in known.get(module, [])}
        survivors, outdated, number = try_all(module, found, explained)
        unexplained = set(survivors) - explained
        for before, after in unexplained:
            print(f"  not found, and not explained:\n    - {before}\n    + {after}")
        for before, after in outdated:
            print(f"  explained, but found or no longer a fault:\n    - {before}\n    + {after}")
        if unexplained or outdated or len(survivors) > (1 - GOAL) * number:
            failed = True
        else:
            keep(module, number - len(survivors), number)
    sys.exit(failed)


def source_of(module):
    """Tell one source of a module from another."""
    return hashlib.sha256(meaning(path_of(module).read_text(encoding="utf-8")).encode()).hexdigest()[:16]


def keep(module, found, number):
    """Each module's result has a date of its own, and says of which source it is."""
    kept = json.loads(RESULTS.read_text(encoding="utf-8")).get("mutation", {}).get("modules", {})
    new = {module: {"found": found, "number": number, "source": source_of(module), **facts()}}
    record("mutation", modules={name: (kept | new)[name] for name in TESTS if name in kept | new})


if __name__ == "__main__":
    main()
