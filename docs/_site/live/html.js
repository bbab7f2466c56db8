/* HTML for the Mask Lab: text made safe for it, and a page brought in line with it. */

export const escape = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

/** Change only what differs: focus, scrolling and half-done clicks survive. What has the mark data-own is filled by somebody else. */
export function morph(live, fresh) {
  const old = [...live.childNodes];
  const next = [...fresh.childNodes];
  next.forEach((node, i) => {
    if (!old[i]) live.append(node);
    else if (old[i].nodeName !== node.nodeName) old[i].replaceWith(node);
    else if (node.nodeType !== Node.ELEMENT_NODE) update(old[i], "nodeValue", node.nodeValue);
    else {
      attributes(old[i], node);
      if (!("own" in node.dataset)) morph(old[i], node);
    }
  });
  old.slice(next.length).forEach((node) => node.remove());
}

function attributes(live, fresh) {
  for (const { name } of [...live.attributes]) {
    const opened = name === "open"; // the reader's choice
    if (!fresh.hasAttribute(name) && !opened) live.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (live.getAttribute(name) !== value) live.setAttribute(name, value);
  }
  if (live.nodeName === "INPUT") update(live, "checked", fresh.checked);
  if (["INPUT", "TEXTAREA"].includes(live.nodeName)) update(live, "value", fresh.value);
  if (live.nodeName === "SELECT") live.selectedIndex = [...fresh.options].findIndex((o) => o.defaultSelected);
}

function update(node, property, value) {
  if (node[property] !== value) node[property] = value;
}
