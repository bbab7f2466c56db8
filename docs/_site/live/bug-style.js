/* The bug detective's own looks; the rest is as in the pieces of lessons. */

export const BUG_STYLE = `
.row{display:flex;flex-wrap:wrap;gap:.4em .5em;align-items:center;margin:.5em 0}
.row>*{max-width:100%}
button[aria-disabled=true]{color:var(--md-default-fg-color--light);border-color:var(--ca-line);cursor:default}
select{font:inherit;color:inherit;background:var(--md-default-bg-color);border:.05rem solid var(--md-default-fg-color--light);border-radius:.2rem;padding:.2em .4em;min-height:2.1em;max-width:100%}
label{max-width:100%}
.title{font-size:1.15em;margin:.9em 0 .2em}
[tabindex="-1"]:focus{outline:0}
.score{float:right;font-weight:500}
.task{margin:.2em 0 .6em;max-width:44em}
.findings{display:grid;gap:.6em 1.6em;margin:.6em 0}
.findings>*{min-width:0}
.finding{border-left:.15rem solid var(--ca-line);padding:0 0 0 .8em}
.finding p{margin:.2em 0}
.finding:first-child{border-left-color:var(--md-accent-fg-color)}
.name{font-weight:600}
.scroll{overflow-x:auto}
.finding caption{font-weight:500}
.finding th,.finding td{text-align:center;padding:.15em .5em;min-width:3.4em}
.finding td{border:.05rem solid var(--ca-line);height:2em}
.finding .some{font-weight:600;background:color-mix(in srgb,var(--ca-visible) 30%,transparent)}
.finding .nan{background:#b3001b;color:#fff;font-weight:700}
small{font-size:.72em;opacity:.85;margin-left:.15em}
.left{margin:.6em 0 .2em}
.says{min-height:1.6em;max-width:44em}
.says p,.means{margin:.3em 0;max-width:44em}
.right{color:var(--ca-values)}
.answer{max-width:46em}
.answer a{color:var(--md-typeset-a-color)}
pre{overflow-x:auto;background:var(--md-code-bg-color);color:var(--md-code-fg-color);padding:.8em;margin:.4em 0;font-size:.9em;line-height:1.45;font-family:var(--md-code-font-family,var(--md-code-font,monospace))}
code{font-family:inherit}
mark{color:inherit;background:color-mix(in srgb,var(--ca-keys) 28%,transparent)}
.end ol{padding-left:1.4em}
[role=status]{min-height:1.6em;margin:.3em 0}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@container (min-width:48em){.findings{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}}
@container (max-width:28em){.finding th,.finding td{padding:.15em .2em;min-width:2.9em}}
`;
