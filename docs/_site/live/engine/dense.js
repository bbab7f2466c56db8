/* What layers of Keras compute: a Dense layer, an Embedding, a norm. Rows are Float64Arrays. */

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
