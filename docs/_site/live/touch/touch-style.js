/* The looks of the pieces of lessons, in the colours of the site. */

export const TOUCH = `
:host{display:block;font-size:.8rem;margin:1em 0;container-type:inline-size}
*{box-sizing:border-box}
svg{display:block;width:100%;height:auto;overflow:visible;font-family:inherit}
text{fill:currentColor;font-size:11px}
text.small{font-size:9px}
text.middle{text-anchor:middle}
text.end{text-anchor:end}
.soft{fill:var(--md-default-fg-color--light)}
.line{stroke:var(--ca-line);fill:none}
.axis{stroke:var(--md-default-fg-color--light);fill:none}
.q{--tint:var(--ca-queries)}.k{--tint:var(--ca-keys)}.v{--tint:var(--ca-values)}.w{--tint:var(--md-accent-fg-color)}.n{--tint:var(--md-default-fg-color--light)}
.stroke{stroke:var(--tint);fill:none;stroke-width:2.5}
.fill{fill:var(--tint);stroke:none}
.text{fill:var(--tint);font-weight:600}
.faint{opacity:.45}
.whole{fill:currentColor;fill-opacity:.14}
.dashed{stroke-dasharray:4 3}
.hatch{fill:url(#hatch)}
[data-handle]{cursor:grab;touch-action:none}
.grip{fill:var(--tint);fill-opacity:.18;stroke:var(--tint)}
.panels{display:flex;flex-wrap:wrap;gap:.6em 1.4em;align-items:flex-start}
.panels>*{flex:1 1 13em;min-width:0;max-width:22em}
.panels>.wide{flex-basis:20em;max-width:34em}
.title{font-weight:600;margin:0 0 .3em}
.controls{display:flex;flex-wrap:wrap;gap:.3em 1.4em;align-items:center;margin:.5em 0}
label{line-height:2.1;font-variant-numeric:tabular-nums}
input[type=range]{width:11em;max-width:100%;accent-color:var(--md-accent-fg-color);vertical-align:middle;margin:0 .3em}
input[type=checkbox]{width:1.1em;height:1.1em;margin:0 .4em 0 0;vertical-align:-.15em;accent-color:var(--md-accent-fg-color)}
input:is([type=number],[type=text]){font:inherit;color:inherit;background:var(--md-default-bg-color);border:.05rem solid var(--md-default-fg-color--light);border-radius:.2rem;padding:.1em .4em;width:5.5em}
input[type=text]{width:18em;max-width:100%;font-family:var(--md-code-font-family,var(--md-code-font,monospace))}
button{font:inherit;color:inherit;background:var(--md-default-bg-color);border:.05rem solid var(--md-default-fg-color--light);border-radius:.2rem;padding:.2em .6em;min-height:2.1em;cursor:pointer}
button[aria-pressed=true]{background:var(--md-typeset-a-color);color:var(--md-default-bg-color);border-color:transparent}
:focus-visible{outline:.12rem solid var(--md-accent-fg-color);outline-offset:.08rem}
.says{font-weight:600;margin:.5em 0 0;min-height:3em;font-variant-numeric:tabular-nums}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:.2em 0;font-weight:600}
th{font-weight:500;padding:.2em .5em;text-align:left}
td{padding:.2em .4em;text-align:right}
.track{width:8em}
.track i{display:block;height:1em;min-width:1px;width:var(--share);background:var(--md-accent-fg-color)}
.written{font-family:var(--md-code-font-family,var(--md-code-font,monospace));text-align:left}
p.written{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}
.off{color:var(--ca-keys);text-decoration:underline}
.letters{display:flex;flex-wrap:wrap;gap:.2em;margin:.3em 0 .8em}
.letters button{padding:.1em .45em;min-width:1.9em;font-family:var(--md-code-font-family,var(--md-code-font,monospace))}
.pieces{display:flex;flex-wrap:wrap;gap:.2em;margin:.4em 0;font-family:var(--md-code-font-family,var(--md-code-font,monospace));line-height:1.5}.pieces span{padding:.1em .35em;border:.05rem solid var(--ca-line);border-radius:.2rem;white-space:pre-wrap}.pieces span:nth-child(even){background:color-mix(in srgb,var(--ca-queries) 20%,transparent)}
.tries span{text-align:center;line-height:1.3}.tries small{display:block;font-size:.65em;line-height:1.2;color:var(--md-default-fg-color--light)}.tries .given{padding-bottom:1.1em}button:disabled{opacity:.35;cursor:default}
.similarity{max-width:14em}.station{max-width:36em;margin:.2em 0 .7em}.station p{margin:.15em 0}
.rules{width:100%;max-width:34em}.rules td{min-width:2.4em}.rules thead th{text-align:right}.rules label{line-height:1.5;white-space:nowrap}@container (max-width:26em){.rules :is(th,td){padding:.2em .25em}}.rules svg{max-width:2.6em;margin-left:auto}
.odds{width:100%;max-width:34em}.odds :is(th,td){padding:.2em .25em}.odds .track{width:45%}.odds .came{height:.35em;min-width:0;background:var(--ca-values)}.odds thead th:nth-last-child(-n+2){text-align:right}
table.wishes{flex:0 1 auto}.wishes tbody tr{height:2.6em}.wishes th{white-space:nowrap}.wishes thead th{text-align:right}
.looks :is(td,thead th){text-align:center;padding:.2em .25em}.looks .weight{background:var(--weight);color:var(--ink);min-width:2.3em}@container (max-width:26em){.looks{font-size:.85em}.looks .weight{min-width:2em}}
.sums th{white-space:nowrap}.sums thead th[scope=col]{text-align:right}.sums td{font-family:var(--md-code-font-family,var(--md-code-font,monospace));min-width:2.4em}
.asked label{display:grid;grid-template-columns:minmax(0,18em) minmax(0,14em) 5em;gap:0 .6em;align-items:center;line-height:1.5;margin:.35em 0}.asked input{width:100%}@container (max-width:30em){.asked label{grid-template-columns:1fr 5em}.asked span{grid-column:1/3}}
.hint{color:var(--md-default-fg-color--light)}
.settled{margin-bottom:.7em}.settled .says{margin-top:.1em;min-height:0;font-weight:400;max-width:40em}.settled .title{margin:0}
@media (prefers-reduced-motion:no-preference){.arrives{animation:arrives .9s ease-out}.turns{transition:transform .45s ease-in-out}.grows{transition:width .45s ease-in-out}}@keyframes arrives{from{transform:translateX(var(--from))}}
.surprised{display:flex;flex-wrap:wrap;gap:.12em;margin:.3em 0;line-height:1.2}.surprised button{min-width:2em;padding:.1em;line-height:1.2;border-color:var(--ca-line);background:color-mix(in srgb,var(--ca-weights) calc(4.5%*min(var(--bits),8)),transparent)}.surprised button:disabled{opacity:1}.surprised b{display:block;font-weight:400;font-family:var(--md-code-font-family,var(--md-code-font,monospace))}.surprised [data-seen=true]{border-bottom:.15rem solid var(--ca-queries)}.surprised [aria-pressed=true]{color:inherit;outline:.12rem solid var(--md-accent-fg-color)}
.cell{cursor:pointer;stroke:var(--md-default-bg-color)}
`;
