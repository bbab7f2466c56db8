/* The date machine's looks: those of the Mask Lab, and its letters and maps. */

import { STYLE } from "./style.js";

export const MACHINE_STYLE = `${STYLE}
.bar label{min-width:0;max-width:100%}
.bar select{max-width:100%}
h2{font-size:1.1em;margin:1.4em 0 .5em}
.grow{flex:1 1 16em;display:flex;flex-wrap:wrap;align-items:baseline;gap:.2em .6em;margin:0}
.text{flex:1 1 12em;font-size:1.15em;padding:.35em .6em;min-width:0}
[aria-invalid=true]{border-color:var(--ca-keys)}
.loud:empty{display:none}
.strip{display:flex;flex-wrap:wrap;gap:.12em;align-items:center;margin:.35em 0}
.strip>.name:first-child{width:4em}
.threads{display:block;width:100%;height:2.6em;margin:-.1em 0;overflow:visible;pointer-events:none}.threads path{fill:none;stroke:var(--ca-queries);stroke-linecap:round}.threads.within{height:2.1em}.threads.within path{stroke:var(--ca-keys)}
@media (prefers-reduced-motion:no-preference){.threads path{transition:stroke-width .3s,stroke-opacity .3s}}
.name{color:var(--md-default-fg-color--light);margin-right:.4em}
.letter{min-width:1.75em;min-height:1.9em;padding:.1em;font-family:var(--md-code-font-family,var(--md-code-font,monospace));border-color:var(--ca-line)}
.letter[style]{background:var(--weight);color:var(--ink);border-color:transparent}
.letter[aria-pressed=true]{background:var(--md-default-bg-color);color:inherit;outline:.14rem solid var(--md-accent-fg-color);outline-offset:-.04rem}
.letter[style][aria-pressed=true]{background:var(--weight);color:var(--ink)}
.letter.hidden,[data-do=hide][aria-pressed=true]{background:repeating-linear-gradient(45deg,var(--ca-hatch) 0 1px,var(--md-default-bg-color) 1px 5px);color:inherit}
.wrote{display:flex;flex-wrap:wrap;gap:.12em;align-items:center;margin:.4em 0}
.wrote>b{min-width:1.75em;padding:.15em;text-align:center;font-weight:400;font-family:var(--md-code-font-family,var(--md-code-font,monospace));border:.05rem solid var(--ca-line);border-radius:.2rem}
.sure{margin-left:.8em;color:var(--md-default-fg-color--light);font-variant-numeric:tabular-nums}.sure b{color:var(--md-default-fg-color)}.waits{font-size:.9em;margin:.2em 0}
.verdict{margin:.3em 0 .8em;min-height:1.5em}
.verdict.right::before{content:"✓ ";color:var(--ca-values);font-weight:700}
.verdict.wrong::before{content:"✗ ";color:var(--ca-keys);font-weight:700}
.says{min-height:1.5em}
.effect{margin:.2em 0 .8em;color:var(--ca-keys);font-weight:600}
.effect:empty{display:none}
.now{position:sticky;top:2.6rem;z-index:1;margin:0 0 .8em;padding:.4em .6em;background:var(--md-default-bg-color);border:.05rem solid var(--ca-line);border-radius:.25rem}
.maps{display:flex;flex-wrap:wrap;gap:.6em}
.map{display:flex;flex-direction:column;align-items:center;padding:.3em;border-color:var(--ca-line);max-width:100%;overflow-x:auto}
.map[aria-pressed=true]{background:var(--md-accent-fg-color--transparent);color:inherit;border-color:var(--md-accent-fg-color)}
.box figure.map{align-items:flex-start;border:0;margin:.4em 0;padding:0}
figcaption{color:var(--md-default-fg-color--light)}
.plain td,.plain th{padding:.15em .5em;height:auto;min-width:0}
.said{font-family:var(--md-code-font-family,var(--md-code-font,monospace))}
.weights .numbers{display:flex;flex-wrap:wrap;gap:.15em}
.weights select{max-width:26em}
.fits{margin:.6em 0}.fits caption{text-align:left;white-space:normal}.fits small{color:var(--md-default-fg-color--light)}
.dares{list-style:none;margin:0;padding:0}.dares li{display:flex;gap:.7em;align-items:baseline;margin:.4em 0}.dares button{flex:none}.heard{font-weight:600;min-height:1.5em}.dares b{color:var(--ca-values)}
.bars .track{width:8em}
.bars caption{white-space:normal}
@container (min-width:46em){.now{top:5.2rem}.columns{grid-template-columns:minmax(13em,17em) minmax(0,1fr)}}
@container (max-width:28em){.plain th{white-space:normal}.plain td,.plain th{padding:.15em .3em}.plain .said{white-space:nowrap}:is(.strip,.wrote)>.name:first-child{width:100%}:is(.letter,.wrote>b){min-width:1.45em}}
`;
