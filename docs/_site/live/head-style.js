/* The head designer's own looks; the rest is as in the pieces of lessons. */

export const HEAD_STYLE = `
.row{display:flex;flex-wrap:wrap;gap:.4em .5em;align-items:center;margin:.5em 0}
.row span{flex:none}
button[aria-disabled=true]{color:var(--md-default-fg-color--light);border-color:var(--ca-line);cursor:default}
[data-do=puzzle]{min-width:2.4em}
.star{letter-spacing:-.1em}
.title{font-size:1.15em;margin:.9em 0 .2em}
.task{margin:.2em 0 .6em;max-width:44em}
.task b{white-space:nowrap}
.columns{display:grid;gap:.2em 2em}
.columns>*{min-width:0}
.scroll{overflow-x:auto;padding:.2em}
table{margin:.3em 0}
th{padding:.15em .4em;white-space:nowrap;font-weight:500}
thead th{text-align:center}
small{font-size:.72em;opacity:.85;margin-left:.08em}
.q,.k{font-weight:600}.q{color:var(--ca-queries)}.k{color:var(--ca-keys)}
.switches tbody th,.map tbody th,th.corner{text-align:left}
.corner{font-size:.75em;line-height:1.25}
.corner span{display:block}
.switches td{width:2.1em;min-width:1.75em;height:2.1em;padding:0;text-align:center;border:.05rem solid var(--md-default-fg-color--light);cursor:pointer;font-weight:600}
.switches td.on{background:var(--md-typeset-a-color);color:var(--md-default-bg-color)}
.switches td.away{background:var(--ca-keys)}
.switches .begins{border-left:.15rem solid var(--md-default-fg-color--light)}
.switches tr.begins>*{border-top:.15rem solid var(--md-default-fg-color--light)}
.switches tr.begins{border-left:0}
.switches thead tr:first-child th{font-size:.8em;padding-bottom:0}
.map caption{white-space:nowrap}
.map td{padding:.2em .3em;text-align:center;height:2em;min-width:2.3em;border:.05rem solid var(--ca-line);white-space:nowrap}
.map .weight{background:var(--weight);color:var(--ink);font-size:.85em}
.map .blocked{background-image:repeating-linear-gradient(45deg,var(--ca-hatch) 0 1px,transparent 1px 6px)}
.map .wrong{color:var(--ca-keys);font-weight:600}
.map .right{font-weight:600}
.chosen{margin:.3em 0;min-height:1.5em}
.solved{color:var(--ca-values)}
input[data-field=text]{font:inherit;font-family:var(--md-code-font-family,var(--md-code-font,monospace));color:inherit;background:var(--md-default-bg-color);border:.05rem solid var(--md-default-fg-color--light);border-radius:.2rem;padding:.25em .5em}
.hints{margin:.4em 0;padding-left:1.4em;max-width:44em}
.hints:empty{display:none}
[role=status]{min-height:1.6em;margin:.3em 0}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@container (min-width:48em){.columns{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}}
@container (max-width:28em){.map td{padding:.1em;min-width:1.8em}.map th{padding:.15em .2em}.switches th{padding:.15em .1em}.switches td{width:1.75em;min-width:1.65em}.switches tbody th{font-size:.85em}.map thead th,.map td:nth-last-child(-n+2){font-size:.85em}}
`;
