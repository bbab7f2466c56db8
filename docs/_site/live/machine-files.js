/* The trained models, each in a script of its own beside this one, fetched when somebody asks for it: a page that was
   opened from a folder may load scripts, and nothing else. All elements of a page share what was fetched. */

import { readWeights } from "./engine/weights.js";

const models = (window.trainedModels ??= {
  arrived: new Map(), // name -> { parts, config }
  asked: new Map(), // name -> a promise of it
  receive(name, file) { // what the script of a model calls
    models.arrived.set(name, { parts: readWeights(file), config: file.config });
  },
});

export function ready(name) {
  return models.arrived.get(name);
}

export function load(name) {
  if (!models.asked.has(name)) models.asked.set(name, fetched(name));
  return models.asked.get(name);
}

function fetched(name) {
  return new Promise((resolve, reject) => {
    const own = [...document.scripts].find(({ src }) => /\/(?:date-machine|site)\.js$/.test(src.split("?")[0]));
    const script = document.createElement("script");
    script.src = new URL(`machine/${name}.js`, own.src);
    script.onload = () => resolve(ready(name));
    script.onerror = () => {
      models.asked.delete(name); // so that one can try again
      script.remove();
      reject(new Error(`The weights of this machine could not be fetched: ${script.src}`));
    };
    document.head.append(script);
  });
}
