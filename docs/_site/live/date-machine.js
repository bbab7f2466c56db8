import { beamSearch, greedySearch, probabilities } from "./engine/generation.js";
import { readWeights, Weights } from "./engine/weights.js";
import { Transformer } from "./engine/transformer.js";
window.dateMachine = { beamSearch, greedySearch, probabilities, readWeights, Weights, Transformer };
