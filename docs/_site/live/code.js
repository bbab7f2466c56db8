/* The situation of the Mask Lab as code to copy, with the polarity that each library wants. */

const rows = (grid) => `[${grid.map((row) => `[${row.join(", ")}]`).join(",\n     ")}]`;
const number = (x) => (Number.isNaN(x) ? "nan" : x === Infinity ? "inf" : x === -Infinity ? "-inf" : String(x));
const numbers = (grid) => rows(grid.map((row) => row.map(number)));
const bools = (mask, wanted) => rows(mask.map((row) => row.map((cell) => (cell === wanted ? "True" : "False"))));

function arrays({ q, k, v, dtype }, library) {
  const strange = [q, k, v].flat(2).some((x) => !Number.isFinite(x));
  const lines = ["import numpy as np"];
  if (strange) lines.push("from numpy import inf, nan");
  lines.push(...library, "");
  for (const [name, grid] of Object.entries({ q, k, v })) {
    lines.push(`${name} = np.array(\n    ${numbers(grid)}, "${dtype}")`);
  }
  return lines.join("\n");
}

/** Say what JAX does, which has no rule for a query without a key. */
function aboutEmpty({ mask }) {
  return mask.some((row) => row.every(Boolean))
    ? "\n# A query that sees no key gets the mean of all values here, not 0."
    : "";
}

function clearAttention(state) {
  return `${arrays(state, ["from clear_attention import scaled_dot_product_attention"])}
mask = np.array(  # 1 blocks a key
    ${rows(state.mask)})
output, weights = scaled_dot_product_attention(q, k, v, mask)`;
}

function keras(state) {
  const n = state.q[0].length;
  return `${arrays(state, ["import keras"])}
mask = np.array(  # True: may be attended to
    ${bools(state.mask, 0)})
layer = keras.layers.MultiHeadAttention(
    1, ${n}, value_dim=${state.v[0].length}, output_shape=${state.v[0].length},
    use_bias=False, dtype="${state.dtype}")
layer.build((1, None, ${n}), (1, None, ${state.v[0].length}), (1, None, ${n}))
layer.set_weights([np.eye(w.shape[-1]).reshape(w.shape) for w in layer.weights])  # project nothing
output, weights = layer(
    q[None], v[None], k[None], attention_mask=mask[None], return_attention_scores=True)`;
}

function torch(state) {
  const type = state.dtype === "float16" ? ".half()" : "";
  return `${arrays(state, ["import torch"])}
mask = torch.tensor(  # True: may be attended to; nn.MultiheadAttention wants the opposite
    ${bools(state.mask, 0)})
q, k, v = (torch.tensor(x)[None, None]${type} for x in (q, k, v))
output = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)`;
}

function jax(state) {
  return `${arrays(state, ["import jax"])}
mask = np.array(  # True: may be attended to
    ${bools(state.mask, 0)})
q, k, v = (x[None, :, None] for x in (q, k, v))  # (batch, length, heads, depth)
output = jax.nn.dot_product_attention(q, k, v, mask=mask[None, None])${aboutEmpty(state)}`;
}

export const code = {
  "clear-attention": clearAttention,
  "keras MultiHeadAttention": keras,
  "torch SDPA": torch,
  JAX: jax,
};
