"""How queries are cut into blocks: what a block reads is what it sees and no more, and known sizes stay known."""

import numpy as np
import pytest
import tensorflow as tf

from clear_attention import DistanceBias
from clear_attention.blockwise import blocks as module
from clear_attention.blockwise.blocks import Hiding, QueryBlocks, whole_blocks, with_axes
from clear_attention.blockwise.keys import Keys

RNG = np.random.default_rng(3)
SIZES = [(12, 12, 4), (10, 14, 4), (7, 7, 3), (5, 9, 5), (9, 4, 2), (1, 6, 4)]  # queries, keys, queries in a block
SEES = {
    "all": {},
    "causal": {"causal": True},
    "a window": {"window": 3},
    "a causal window": {"causal": True, "window": 2},
    "first keys beside a window": {"causal": True, "window": 2, "first_keys": 2},
    "more first keys than keys": {"causal": True, "window": 2, "first_keys": 99},
    "itself": {"window": 1},
    "documents": {"documents": True},
    "documents, causal": {"documents": True, "causal": True},
    "documents, a window and first keys": {"documents": True, "window": 2, "first_keys": 1},
}


def documents_of(keys):
    return np.arange(keys) // 3


def made(queries, keys, size, hides, **more):
    hides = dict(hides)
    if hides.pop("documents", False):
        hides["documents"] = tf.constant(documents_of(keys)[np.newaxis, np.newaxis])
    q, k = tf.zeros((1, 1, queries, 2)), tf.zeros((1, 1, keys, 2))
    given = {"softcap": None, "has_sink": False, "size": size} | more
    return QueryBlocks.of(q, k, Hiding(**hides), **given)


def visible(queries, keys, hides):
    """Tell by NumPy which keys each query sees."""
    places, columns = np.arange(queries)[:, None] + keys - queries, np.arange(keys)
    sees = np.ones((queries, keys), bool)
    if hides.get("causal"):
        sees &= columns <= places
    if window := hides.get("window"):
        sees &= (np.abs(columns - places) < window) | (columns < hides.get("first_keys", 0))
    if hides.get("documents"):
        mine = documents_of(keys)[np.clip(places, 0, keys - 1)]
        sees &= mine == documents_of(keys)
    return sees


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("name", SEES)
def test_a_block_hides_what_its_queries_do_not_see(name, sizes):
    queries, keys, _ = sizes
    blocks, sees = made(*sizes, SEES[name]), visible(queries, keys, SEES[name])
    for i in range(blocks.number):
        read = blocks.seen(i)
        hidden, rows = blocks.hidden(i, read), sees[i * blocks.size : (i + 1) * blocks.size]
        found = np.zeros((blocks.size, len(read.places)), bool) if hidden is None else np.asarray(hidden)
        found = np.broadcast_to(found, (1, 1, blocks.size, len(read.places)))[0, 0, : len(rows)]
        np.testing.assert_array_equal(~found, rows[:, np.asarray(read.places)])
        unread = np.delete(rows, np.asarray(read.places), axis=1)
        assert not unread.any()


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("name", SEES)
def test_a_block_reads_no_more_than_it_sees(name, sizes):
    """Each key at an end of what is read is seen by a place of the block, those of padding among them."""
    queries, keys, _ = sizes
    hides = SEES[name]
    blocks = made(*sizes, hides)
    padded = blocks.number * blocks.size
    longer = visible(padded, keys + padded - queries, hides)[:, :keys]
    for i in range(blocks.number):
        seen = blocks.seen(i)
        first, last = int(seen.first), int(seen.last)
        if "documents" not in hides:
            assert int(seen.few) == min(hides.get("first_keys", 0), keys - 1)
        columns = np.flatnonzero(longer[i * blocks.size : (i + 1) * blocks.size].any(axis=0))
        columns = columns[columns >= int(seen.few)]
        if len(columns) and not hides.keys() & {"documents", "first_keys"}:
            assert (first, last) == (columns[0], columns[-1] + 1)
        assert last > first


def test_documents_narrow_what_a_block_reads():
    found = [made(12, 12, 3, {"documents": True}).seen(i) for i in range(4)]
    assert [(int(keys.first), int(keys.last)) for keys in found] == [(0, 3), (3, 6), (6, 9), (9, 12)]
    found = [made(12, 12, 4, {"documents": True, "causal": True}).seen(i) for i in range(3)]
    assert [(int(keys.first), int(keys.last)) for keys in found] == [(0, 4), (3, 8), (6, 12)]
    found = [made(6, 6, 1, {"documents": True, "causal": True}).seen(i) for i in range(6)]
    assert [(int(keys.first), int(keys.last)) for keys in found] == [(0, 1), (0, 2), (0, 3), (3, 4), (3, 5), (3, 6)]


def test_nothing_is_hidden_where_all_is_seen():
    blocks = made(6, 6, 3, {})
    assert blocks.hidden(0, blocks.seen(0)) is None
    assert blocks.may_be_empty is False
    scores = tf.zeros((1, 1, 3, 6))
    filled, sees_nothing = blocks.without_hidden(scores, 0, blocks.seen(0))
    assert filled is scores
    assert sees_nothing is None


@pytest.mark.parametrize(
    ("sizes", "hides", "has_sink", "expected"),
    [
        ((6, 6, 3), {"causal": True}, False, False),
        ((6, 8, 3), {"causal": True}, False, False),
        ((8, 6, 3), {"causal": True}, False, True),  # the first two queries stand before all keys
        ((8, 6, 3), {"causal": True}, True, False),  # but a sink is always seen
        ((6, 6, 3), {"window": 2}, False, True),
        ((6, 6, 3), {"blocked": tf.zeros((6, 6), tf.bool)}, False, True),
    ],
)
def test_whether_a_query_may_see_nothing(sizes, hides, has_sink, expected):
    assert made(*sizes, hides, has_sink=has_sink).may_be_empty == expected


@pytest.mark.parametrize(
    ("queries", "size", "expected"),
    [(12, 4, (4, 3)), (13, 4, (4, 4)), (3, 4, (3, 1)), (1, 1, (1, 1)), (0, 4, (1, 1)), (5, 5, (5, 1)), (6, 5, (5, 2))],
)
@pytest.mark.parametrize("known", [True, False])
def test_how_many_blocks_there_are(queries, size, expected, known):
    sizes = []

    def cut(q):
        blocks = QueryBlocks.of(q, tf.zeros((1, 7, 2)), Hiding(), None, False, size)
        sizes.append((blocks.known_size, blocks.number))
        return tf.convert_to_tensor(blocks.size), tf.convert_to_tensor(blocks.number)

    signature = [tf.TensorSpec((1, queries if known else None, 2))]
    found = tf.function(cut, signature, autograph=False)(tf.zeros((1, queries, 2)))
    assert tuple(int(x) for x in found) == expected
    if known and queries:
        assert sizes == [expected]
    else:
        assert sizes[0][0] is None


@pytest.mark.parametrize(
    ("hides", "keys", "size", "expected"),
    [
        ({}, 100, 8, 100),
        ({"causal": True}, 100, 8, 100),
        ({"window": 3}, 100, 8, 12),  # two on each side
        ({"window": 3, "causal": True}, 100, 8, 10),
        ({"window": 3, "causal": True, "first_keys": 4}, 100, 8, 14),
        ({"window": 60}, 100, 8, 100),
        ({"window": tf.constant(3)}, 100, 8, 100),  # a number that a graph would have to compute
        ({"window": 3, "first_keys": tf.constant(1)}, 100, 8, 100),
    ],
)
def test_how_many_keys_a_block_may_reach(hides, keys, size, expected):
    assert Hiding(**hides).reach(keys, size) == expected


def test_under_xla_a_block_reaches_all_keys_and_skips_none():
    @tf.function(jit_compile=True)
    def asked():
        blocks = made(12, 12, 4, {"causal": True, "window": 2})
        keys = blocks.seen(0)
        return tf.constant([Hiding(window=2).reach(100, 8), keys.few, keys.first, keys.last])

    assert asked().numpy().tolist() == [100, 0, 0, 12]


@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
def test_blocks_are_cut_and_joined_again(leading):
    blocks, x = made(10, 10, 4, {}), RNG.normal(size=(*leading, 10, 3))
    padded = blocks.padded(tf.constant(x))
    assert padded.shape == (*leading, 12, 3)
    assert not np.any(padded[..., 10:, :])
    room = blocks.results(leading, 3, tf.float64)
    for i in range(3):
        cut = blocks.cut(padded, i)
        np.testing.assert_array_equal(cut, padded[..., 4 * i : 4 * i + 4, :])
        room = room.write(i, cut)
    np.testing.assert_array_equal(blocks.joined(room, list(leading), 3), x)


def test_shapes_stay_known_in_a_graph():
    shapes = {}

    def cut(x, i):
        blocks = QueryBlocks.of(x, tf.zeros((1, 9, 2)), Hiding(), None, False, 4)
        part = blocks.cut(blocks.padded(x), i)
        room = blocks.results([2], 3, tf.float32).write(0, part)
        shapes.update(part=part.shape, joined=blocks.joined(room, [2], 3).shape)
        return part

    tf.function(cut, autograph=False).get_concrete_function(tf.TensorSpec((2, 4, 3)), tf.TensorSpec((), tf.int32))
    assert shapes == {"part": (2, 4, 3), "joined": (2, 4, 3)}
    tf.function(cut, autograph=False).get_concrete_function(tf.TensorSpec((2, None, 3)), tf.TensorSpec((), tf.int32))
    assert shapes["part"].as_list() == [2, None, 3]
    assert shapes["joined"].as_list() == [2, None, 3]


@pytest.mark.parametrize("rows", [1, 2, 12])
@pytest.mark.parametrize("known", [True, False])
def test_the_rows_of_a_block_and_a_single_one_for_all(rows, known):
    blocks, x = made(2, 6, 2, {}) if rows == 2 else made(12, 6, 4, {}), RNG.normal(size=(2, rows, 5))
    last = blocks.number - 1
    rows_of = tf.function(lambda x: blocks.rows(x, last), [tf.TensorSpec((2, rows if known else None, 5), tf.float64)])
    expected = x if rows == 1 else x[:, last * blocks.size : (last + 1) * blocks.size]
    np.testing.assert_array_equal(rows_of(x), expected)


def test_rows_of_a_known_number_are_known():
    blocks, one = made(12, 6, 4, {}), tf.zeros((2, 1, 5))
    assert blocks.rows(one, 1) is one
    rows_of = tf.function(lambda x: blocks.rows(x, 1), [tf.TensorSpec((None, 12, None))], autograph=False)
    assert rows_of.get_concrete_function().output_shapes.as_list() == [None, 4, None]


def test_queries_stand_on_the_last_keys():
    blocks = made(6, 10, 3, {})
    assert [blocks.places(i).numpy().tolist() for i in (0, 1)] == [[4, 5, 6], [7, 8, 9]]


@pytest.mark.parametrize("keys", [Keys(0, 0, 9), Keys(0, 2, 7), Keys(2, 4, 9)], ids=str)
@pytest.mark.parametrize("i", [0, 1, 2])
def test_a_bias_of_a_block(keys, i):
    """Distances run from the last query and the first key on; those of padding come first."""
    blocks = made(8, 9, 3, {})
    values = RNG.normal(size=(2, 8 + 9 - 1))
    whole = np.stack([values[:, 7 - q : 7 - q + 9] for q in range(8)], axis=1)  # (2, queries, keys)
    rows = slice(3 * i, 3 * i + 3)
    expected = whole[:, rows][..., np.asarray(keys.places)]
    by_distance = DistanceBias(blocks.whole_distances(tf.constant(values)))
    found = blocks.bias(by_distance, i, keys)[:, : expected.shape[1]]
    np.testing.assert_array_equal(found, expected)
    found = blocks.bias(blocks.whole(tf.constant(whole)), i, keys)[:, : expected.shape[1]]
    np.testing.assert_array_equal(found, expected)
    assert blocks.begin(i, Keys(0, 2, 7)) == 3 * (2 - i) + 2


def test_axes_are_added_and_masks_made_whole():
    assert with_axes(None, 4) is None
    assert with_axes(tf.zeros((3, 4)), 4).shape == (1, 1, 3, 4)
    assert with_axes(tf.zeros((3, 4)), 2).shape == (3, 4)
    assert whole_blocks(tf.zeros((5,)), 8).shape == (1, 5)
    assert whole_blocks(tf.zeros((1, 5)), 8).shape == (1, 5)
    mask = whole_blocks(tf.ones((2, 3, 5)), 8)
    assert mask.shape == (2, 8, 5)
    np.testing.assert_array_equal(mask[0, :, 0], [1] * 3 + [0] * 5)
    unknown = tf.function(lambda x: whole_blocks(x, 8), [tf.TensorSpec((None, 5))], autograph=False)
    assert unknown(tf.ones((1, 5))).shape == (1, 5)
    assert unknown(tf.ones((2, 5))).shape == (8, 5)
    assert unknown(tf.ones((3, 5))).shape == (8, 5)


@pytest.mark.parametrize(
    ("hides", "places", "order"),
    [
        ({}, False, False),
        ({"causal": True}, True, True),
        ({"window": 2}, True, False),
        ({"causal": True, "window": 2}, True, False),
        ({"causal": True, "blocked": True}, True, False),
        ({"causal": True, "documents": True}, True, False),
    ],
)
def test_what_hides_by_places_and_by_order_alone(hides, places, order):
    hiding = Hiding(**hides)
    assert (hiding.by_places, hiding.by_order_alone) == (places, order)
    assert hiding.tensors == (hides.get("blocked"), hides.get("documents"))


@pytest.mark.parametrize("softcap", [None, 1.5])
@pytest.mark.parametrize("has_sink", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_the_weights_of_a_block(softcap, has_sink, causal):
    blocks = made(6, 4, 3, {"causal": causal}, softcap=softcap, has_sink=has_sink)
    q, k = RNG.normal(size=(1, 2, 3, 5)), RNG.normal(size=(1, 2, 4, 5))
    sink = tf.constant(RNG.normal(size=(1, 2, 1, 1))) if has_sink else None
    scores = q @ k.swapaxes(-1, -2)
    slope = 1
    if softcap is not None:
        slope = 1 - np.tanh(scores / softcap) ** 2
        scores = softcap * np.tanh(scores / softcap)
    sees = visible(6, 4, {"causal": causal})[:3]
    powers = np.where(sees, np.exp(scores), 0)
    total = powers.sum(axis=-1, keepdims=True) + (np.exp(sink) if has_sink else 0)
    scored = blocks.scored(tf.constant(q), tf.constant(k), None, sink, 0, Keys(0, 0, 4))
    expected = powers / np.where(total == 0, 1, total)
    empty = ~sees.any(axis=-1) & (not has_sink)
    np.testing.assert_allclose(np.asarray(scored.weights)[..., ~empty, :], expected[..., ~empty, :], atol=1e-12)
    assert np.isfinite(scored.weights).all()
    if causal and not has_sink:
        np.testing.assert_array_equal(np.reshape(scored.sees_nothing, -1), empty)
    else:
        assert scored.sees_nothing is None
    if has_sink:
        np.testing.assert_allclose(scored.to_sink, np.exp(sink) / total, atol=1e-12)
    else:
        assert scored.to_sink is None
    if softcap is None:
        assert scored.slope is None
    else:
        np.testing.assert_allclose(scored.slope, slope, atol=1e-12)


@pytest.mark.parametrize(
    ("sizes", "lengths", "run", "piece"),
    [
        ((64, 64, 16), 48, 1, 16),
        ((64, 96, 16), 48, 1, 16),
        ((64, 96, 16), 2, 2, 16),
        ((72, 80, 8), 2, 5, 8),
        ((24, 24, 24), 1, 1, 24),
        ((40, 48, 16), 48, 1, 8),
    ],
)
@pytest.mark.parametrize("graph", [False, True])
def test_in_an_order_alone_later_scores_are_overwritten(sizes, lengths, run, piece, graph, monkeypatch):
    monkeypatch.setattr(module, "LENGTHS", lengths)
    blocks, (queries, keys, size) = made(*sizes, {"causal": True}), sizes
    assert (blocks.run, blocks.piece) == (run, piece)
    sees = np.pad(visible(queries, keys, {"causal": True}), [(0, blocks.number * size - queries), (0, 0)])
    for i in range(blocks.number):
        read, rows = blocks.seen(i), min(size, queries - i * size)
        given = RNG.normal(size=(2, 3, size, int(read.last)))
        overwrite = lambda scores, i=i, read=read: blocks.without_hidden(scores, i, read)[0]  # noqa: E731
        spec = tf.TensorSpec((2, 3, size, None), tf.float64)
        overwrite = tf.function(overwrite, [spec], autograph=False) if graph else overwrite
        found = overwrite(tf.constant(given)).numpy()
        here = sees[i * size : i * size + rows, : int(read.last)]
        np.testing.assert_array_equal(found[..., :rows, :], np.where(here, given[..., :rows, :], -np.inf))


@pytest.mark.parametrize(("number", "run"), [(48, 1), (49, 2), (96, 2), (97, 3)])
def test_rows_have_at_most_48_lengths(number, run):
    assert made(number, number, 1, {"causal": True}).run == run


@pytest.mark.parametrize("piece", [7, 8, 9])
@pytest.mark.parametrize("softcap", [None, 2.0])
def test_pieces_of_eight_keys_are_long_enough(piece, softcap, monkeypatch):
    asked = []
    monkeypatch.setattr(QueryBlocks, "without_later", lambda *given: asked.append(given))
    blocks = made(2 * piece, 2 * piece, piece, {"causal": True}, softcap=softcap)
    assert blocks.piece == piece
    blocks.without_hidden(tf.zeros((1, 1, piece, piece)), 0, blocks.seen(0))
    assert bool(asked) == (piece >= 8 and softcap is None)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ((64, 64, 16), 16),
        ((64, 96, 16), 16),
        ((40, 40, 16), 8),
        ((72, 40, 8), 0),  # the first queries see nothing
        ((41, 41, 8), 1),
        ((64, 64, 48), 16),
    ],
)
def test_a_piece_divides_every_row_that_a_block_reads(sizes, expected):
    blocks = made(*sizes, {"causal": True})
    assert blocks.piece == expected
    if expected:
        assert not any(int(blocks.seen(i).last) % expected for i in range(blocks.number))


@pytest.mark.parametrize(
    "hides",
    [{}, {"window": 4}, {"blocked": tf.zeros((64, 64), tf.bool)}, {"documents": True}],
    ids=["not causal", "a window", "a mask", "documents"],
)
def test_there_are_no_pieces_where_more_is_hidden_than_later_keys(hides):
    assert made(64, 64, 16, {"causal": True} | hides if hides else {}).piece == 0


def test_there_are_no_pieces_where_sizes_are_not_known_or_xla_places_all():
    def piece(q):
        return tf.constant(QueryBlocks.of(q, q, Hiding(causal=True), None, False, 16).piece)

    q = tf.zeros((64, 2))
    assert tf.function(piece)(q) == 16
    assert tf.function(piece, [tf.TensorSpec((None, 2))])(q) == 0
    assert tf.function(piece, jit_compile=True)(q) == 0


@pytest.mark.parametrize("sizes", [(900, 900, 3), (900, 1000, 3), (190, 190, 2), (64, 70, 1), (7, 7, 2)], ids=str)
def test_blocks_read_rows_of_few_lengths(sizes):
    """For each length that oneDNN meets it keeps kernels of its own, which of a long text took 300 MB."""
    (queries, keys, size), blocks = sizes, made(*sizes, {"causal": True})
    read = [blocks.seen(i) for i in range(blocks.number)]
    lengths = {int(seen.last) - int(seen.first) for seen in read}
    assert len(lengths) <= 48
    most = -(-blocks.number // 48) * size  # no row is longer by more than it must be
    for i, seen in enumerate(read):
        needed = min(keys, (i + 1) * size + keys - queries)
        assert needed <= seen.last < needed + most or seen.last == keys


def test_short_pieces_are_not_overwritten_one_by_one():
    blocks = made(9, 9, 3, {"causal": True})
    assert blocks.piece == 3
    scores = tf.constant(RNG.normal(size=(1, 1, 3, 9)))
    filled, _ = blocks.without_hidden(scores, 2, blocks.seen(2))
    np.testing.assert_array_equal(np.isinf(filled[0, 0]), ~visible(9, 9, {"causal": True})[6:])


def test_heads_are_cut_into_groups_where_all_sizes_are_known():
    def number(shape, given=None):
        found = []

        def cut(q, x=None):
            blocks = QueryBlocks.of(q, q, Hiding(), None, False, 2048)
            found.append(blocks.cuts(q, q, q, x))
            return q

        signature = [tf.TensorSpec(shape)] + ([] if given is None else [tf.TensorSpec(given)])
        tf.function(cut, signature, autograph=False).get_concrete_function()
        return [cut.number if isinstance(cut.number, int) else None for cut in found[0]]

    assert number((1, 8, 2048, 4)) == [8]  # 16 MB of scores in each head
    assert number((1, 8, 512, 4)) == []  # 1 MB
    assert number((None, 8, 2048, 4)) == [None, 8]
    assert number((1, None, 2048, 4)) == []
    assert number((1, 8, None, 4)) == []
    assert number((8, 2048, 4)) == [8]
    assert number((2048, 4)) == []
    assert number((1, 8, 2048, 4), (1, 8, 1, 1)) == [8]
    assert number((1, 8, 2048, 4), (1, 8, None, 1)) == []
    assert number((1, 0, 2048, 4)) == []
