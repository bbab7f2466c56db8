/* The weights of a trained model, as the build wrote them: names, shapes, and all numbers one after the other. */

/** Weights by their path; `inside` goes one name down, as layers lie inside layers. */
export class Weights {
  constructor(all, path = "") {
    this.all = all;
    this.path = path;
  }

  inside(name) {
    return new Weights(this.all, `${this.path}${name}/`);
  }

  has(name) {
    return this.all.has(this.path + name);
  }

  get(name) {
    const found = this.all.get(this.path + name);
    if (!found) throw new Error(`The model has no weights ${this.path}${name}.`);
    return found;
  }
}

/** Return a map from path to { shape, data }. numbers: float16, in base 64. */
export function readWeights({ weights, numbers }) {
  const text = atob(numbers);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  let at = 0;
  return new Map(weights.map(([path, shape]) => {
    const data = new Float32Array(shape.reduce((a, b) => a * b, 1));
    for (let i = 0; i < data.length; i++, at += 2) data[i] = fromHalf(view.getUint16(at, true));
    return [path, { shape, data }];
  }));
}

const POWERS = Array.from({ length: 31 }, (_, exponent) => 2 ** (exponent - 15));

/** Read the bits of a half-precision number. */
function fromHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * POWERS[exponent];
}
