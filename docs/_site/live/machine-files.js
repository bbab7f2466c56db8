/* The trained models, each in a script of its own beside this one, fetched when somebody asks for it: a page that was
   opened from a folder may load scripts, and nothing else. */

import { readWeights } from "./engine/weights.js";

const arrived = new Map(); // name -> { parts, config }
const asked = new Map(); // name -> a promise of it

/** What the script of a model calls. */
export function receive(name, file) {
  arrived.set(name, { parts: readWeights(file), config: file.config });
}

export function ready(name) {
  return arrived.get(name);
}

export function load(name) {
  if (!asked.has(name)) asked.set(name, fetched(name));
  return asked.get(name);
}

function fetched(name) {
  return new Promise((resolve, reject) => {
    const own = [...document.scripts].find(({ src }) => /\/(?:date-machine|site)\.js$/.test(src.split("?")[0]));
    const script = document.createElement("script");
    script.src = new URL(`machine/${name}.js`, own.src);
    script.onload = () => resolve(arrived.get(name));
    script.onerror = () => {
      asked.delete(name); // so that one can try again
      script.remove();
      reject(new Error(`The weights of this machine could not be fetched: ${script.src}`));
    };
    document.head.append(script);
  });
}
