/* What layers of Keras compute: a Dense layer, an Embedding, a norm, activations. Rows are Float64Arrays. */

export const ACTIVATIONS = {
  relu: (x) => Math.max(x, 0),
  gelu: (x) => x * (x < 0 ? tail(-x) : 1 - tail(x)),
};

/** How steep each of them is. */
export const SLOPES = {
  relu: (x) => Number(x > 0),
  gelu: (x) => (x < 0 ? tail(-x) : 1 - tail(x)) + (x * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI),
};

/** The share of a normal distribution beyond x >= 0, to 1e-7: Abramowitz and Stegun (1964), 26.2.17. */
function tail(x) {
  const t = 1 / (1 + 0.2316419 * x);
  const sum = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}

export class Dense {
  /** weights: a kernel (inputs, outputs) and, mostly, a bias. */
  constructor(weights) {
    this.kernel = weights.get("kernel");
    this.bias = weights.has("bias") ? weights.get("bias") : null;
  }

  call(x) {
    const { data, shape: [, columns] } = this.kernel;
    return x.map((row) => {
      const sums = new Float64Array(columns);
      if (this.bias) sums.set(this.bias.data);
      for (let i = 0, at = 0; i < row.length; i++, at += columns) {
        const number = row[i];
        if (number === 0) continue;
        for (let c = 0; c < columns; c++) sums[c] += number * data[at + c];
      }
      return sums;
    });
  }
}

export class Embedding {
  constructor(weights) {
    this.table = weights.get("embeddings");
  }

  call(ids) {
    const { data, shape: [, depth] } = this.table;
    return ids.map((id) => Float64Array.from(data.subarray(id * depth, (id + 1) * depth)));
  }
}

export class LayerNormalization {
  constructor(weights, epsilon) {
    this.gamma = weights.get("gamma").data;
    this.beta = weights.get("beta").data;
    this.epsilon = epsilon;
  }

  call(x) {
    return x.map((row) => {
      const mean = row.reduce((a, b) => a + b, 0) / row.length;
      const variance = row.reduce((sum, number) => sum + (number - mean) ** 2, 0) / row.length;
      const root = Math.sqrt(variance + this.epsilon);
      return row.map((number, c) => ((number - mean) / root) * this.gamma[c] + this.beta[c]);
    });
  }
}
