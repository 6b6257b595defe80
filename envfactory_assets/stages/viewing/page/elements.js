// Making elements. Text only ever becomes text nodes, never markup.

function el(tag, properties, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  const present = (child) => child !== null && child !== undefined && child !== false;
  node.append(...children.flat(Infinity).filter(present));
  return node;
}

function said(tag, text, className) {
  return el(tag, { dir: "auto", class: className }, text);
}

function badge(text, kind, title) {
  return el("span", { class: `badge ${kind || ""}`, title }, text);
}

function disclosure(summary, isOpen, className, makeBody) {
  const node = el("details", { class: className, open: isOpen }, el("summary", {}, summary));
  // Bodies are made when first opened: most are never looked at.
  const fill = () => {
    if (node.childElementCount === 1) node.append(makeBody());
  };
  if (isOpen) fill();
  else node.addEventListener("toggle", fill, { once: true });
  node.fill = fill;
  return node;
}

function rawJson(value) {
  return disclosure("Raw JSON", false, "raw", () =>
    el("pre", { tabindex: "0" }, JSON.stringify(value, null, 2)),
  );
}

function copyable(text) {
  const button = el("button", { class: "copy", type: "button", title: "Copy" }, text);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      getSelection().selectAllChildren(button);
      document.execCommand("copy");
    }
    button.dataset.copied = "";
    setTimeout(() => delete button.dataset.copied, 1200);
  });
  return button;
}

function readData(name) {
  const node = document.getElementById(name);
  return node ? JSON.parse(node.textContent) : null;
}
