/* The Mask Lab's looks, in the colours of the site. */

export const STYLE = `
:host{display:block;font-size:.8rem;margin:1em 0;container-type:inline-size}
*{box-sizing:border-box}
fieldset{border:.05rem solid var(--ca-line);border-radius:.25rem;margin:0 0 .9em;padding:.3em .9em .7em;min-width:0}
legend{font-weight:600;padding:0 .3em}
label{margin-right:1em;line-height:2.1}
button,select,input{font:inherit;color:inherit;background:var(--md-default-bg-color);border:.05rem solid var(--md-default-fg-color--light);border-radius:.2rem;padding:.2em .6em;min-height:2.1em;max-width:100%}
input:is([type=checkbox],[type=radio]){min-height:0;margin:0 .4em 0 0;vertical-align:-.15em;width:1.1em;height:1.1em;accent-color:var(--md-accent-fg-color)}
input[type=number]{width:3.6em}
input[type=range]{padding:0;border:0;width:16em;accent-color:var(--md-accent-fg-color);vertical-align:middle}
button{cursor:pointer}
button[aria-disabled=true]{color:var(--md-default-fg-color--light);border-color:var(--ca-line);cursor:default}
button:is([aria-pressed=true],[aria-current=step]){background:var(--md-typeset-a-color);color:var(--md-default-bg-color);border-color:transparent}
:focus-visible{outline:.12rem solid var(--md-accent-fg-color);outline-offset:.08rem}
.bar{display:flex;flex-wrap:wrap;gap:.5em;align-items:center;margin-bottom:.8em}
.hint{color:var(--md-default-fg-color--light);margin-top:.4em}
.formula{font-size:1.2em;margin:.6em 0;line-height:1.9}
.formula span{padding:.15em .3em;border-radius:.2em;color:var(--md-default-fg-color--light)}
.formula .lit{background:var(--md-accent-fg-color--transparent);box-shadow:inset 0 -.14em var(--md-accent-fg-color);color:inherit;font-weight:600}
.scroll{overflow-x:auto;padding:.2em}
table{border-collapse:collapse;margin:.2em 0}
caption{text-align:left;padding:.2em 0;white-space:nowrap}
th{font-weight:500;padding:.2em .5em;text-align:left;white-space:nowrap}
thead th{text-align:center}
td{height:2.6em;min-width:3.3em;text-align:center;border:.05rem solid var(--ca-line);font-variant-numeric:tabular-nums;padding:0 .25em;}
td[style*="--weight"]{background-color:var(--weight);color:var(--ink)}
td.visible:not(.nan){background-color:color-mix(in srgb,var(--ca-visible) 30%,transparent)}
td[data-cell]{cursor:pointer}
td.blocked,.empty td{background-image:repeating-linear-gradient(45deg,var(--ca-hatch) 0 1px,transparent 1px 6px)}
td.nan{background:#b3001b;color:#fff;font-weight:700}
.numbers input{width:4.4em;text-align:center;padding:.1em}
.numbers .token{width:7em;text-align:left}
.numbers td{border:0;height:auto;min-width:0}
.q{color:var(--ca-queries)}.k{color:var(--ca-keys)}.v{color:var(--ca-values)}
.says{font-weight:600;margin:.5em 0;min-height:3em}
.sum{margin:.5em 0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.title{margin:1.2em 0 .2em;font-weight:600}
ul{margin:.3em 0 .8em;padding-left:1.2em}
.loud{color:var(--ca-keys);font-weight:600;list-style:none;padding:0}
.loud li::before{content:"▲ "}
pre{overflow-x:auto;background:var(--md-code-bg-color);color:var(--md-code-fg-color);padding:.8em;margin:.4em 0;font-size:.9em;line-height:1.45;font-family:var(--md-code-font-family,var(--md-code-font,monospace))}
code{font-family:var(--md-code-font-family,var(--md-code-font,monospace));font-size:.92em}
details{margin:.2em 0}
summary{cursor:pointer;font-weight:600;padding:.3em 0}
[role=status]{min-height:1.6em}
.won{color:var(--ca-values);font-weight:600;margin:.3em 0}
.bars td{border:0;height:2em;text-align:right;background:none}
.bars .track{width:12em;text-align:left}
.bars .track i{display:block;height:1em;width:var(--share);min-width:1px;background:var(--md-accent-fg-color)}
.heads{display:flex;flex-wrap:wrap;gap:.4em 1.6em}
.heads td{background:color-mix(in srgb,var(--tint) 22%,transparent)}
@container (min-width:46em){.columns{display:grid;grid-template-columns:minmax(17em,20em) minmax(0,1fr);gap:0 1.6em}}
@container (max-width:28em){td{min-width:2.5em}th{padding:.2em .25em}.track{width:6em!important}}
`;
