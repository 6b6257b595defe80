// The list of tasks with its filters; the address holds what is chosen, so that it can be shared.

const FACETS = [
  ["domain", "Domain"],
  ["environments", "Environment"],
  ["difficulty", "Difficulty"],
  ["split", "Split"],
  ["outcome", "Kept or dropped"],
  ["attempts", "Has an attempt that"],
  ["refinements", "Refinement"],
  ["made_by", "Made by"],
];
const CHUNK = 120;
const NUMBERS = new Map(INDEX.tasks.map((task, index) => [task.id, index]));
const HAYSTACKS = INDEX.tasks.map((task) =>
  [task.id, task.persona, ...task.environments, ...task.queries].join("\n").toLowerCase(),
);
const byId = (id) => document.getElementById(id);
let chosen = {};
let matching = [];
let drawn = 0;
let shownKey = null;

function readAddress() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

function addressOf(changes) {
  const parts = Object.entries({ ...readAddress(), ...changes });
  const kept = parts.filter(([, value]) => value !== null && value !== "");
  return `#${new URLSearchParams(kept.map(([key, value]) => [key, String(value)]))}`;
}

// A link from where the reader is: it keeps the filters, also those that are chosen later.
function link(changes, properties, ...children) {
  const changed = { "data-changes": JSON.stringify(changes) };
  return el("a", { ...properties, ...changed, href: addressOf(changes) }, children);
}

function renewLinks() {
  for (const node of document.querySelectorAll("[data-changes]")) {
    node.href = addressOf(JSON.parse(node.dataset.changes));
  }
}

function valuesOf(task, facet) {
  const value = task[facet];
  return Array.isArray(value) ? value : [value];
}

function matches(task, index, except) {
  const words = (chosen.q || "").toLowerCase().split(/\s+/).filter(Boolean);
  return (
    words.every((word) => HAYSTACKS[index].includes(word)) &&
    FACETS.every(
      ([facet]) =>
        facet === except || !chosen[facet] || valuesOf(task, facet).includes(chosen[facet]),
    )
  );
}

function countsOf(facet) {
  const counts = new Map();
  INDEX.tasks.forEach((task, index) => {
    const isMatch = matches(task, index, facet);
    for (const value of valuesOf(task, facet)) {
      counts.set(value, (counts.get(value) || 0) + (isMatch ? 1 : 0));
    }
  });
  return [...counts].sort(([first], [second]) => (first < second ? -1 : 1));
}

function facetText(facet, value) {
  if (facet === "environments") return asTitle(value.split(".").pop());
  if (facet === "outcome") return value === "kept" ? "kept" : `dropped: ${reasonText(value)}`;
  return facet === "attempts" ? reasonText(value) : inWords(value);
}

function drawFacets() {
  const select = ([facet, title]) => {
    const options = countsOf(facet);
    if (!options.length) return null;
    const node = el(
      "select",
      { id: `filter-${facet}`, class: chosen[facet] ? "active" : null },
      el("option", { value: "" }, "any"),
      options.map(([value, count]) =>
        el("option", { value, selected: chosen[facet] === value }, `${facetText(facet, value)} (${count})`),
      ),
    );
    node.addEventListener("change", () => location.replace(addressOf({ [facet]: node.value })));
    return el("label", {}, el("span", {}, title), node);
  };
  const focused = document.activeElement?.id;
  byId("facets").replaceChildren(...FACETS.map(select).filter(Boolean));
  if (focused?.startsWith("filter-")) byId(focused)?.focus();
}

function drawList() {
  matching = INDEX.tasks.filter((task, index) => matches(task, index, null));
  const active = FACETS.filter(([facet]) => chosen[facet]).length + (chosen.q ? 1 : 0);
  byId("active-filters").textContent = active ? `(${active} active)` : "";
  const clear = link(cleared(), {}, "Clear");
  byId("count").replaceChildren(
    `${matching.length} of ${plural(INDEX.tasks.length, "task")} `,
    ...(active ? [clear] : []),
  );
  byId("list").replaceChildren();
  drawn = 0;
  const index = matching.findIndex((task) => task.id === chosen.task);
  do drawMore();
  while (drawn <= index && drawn < matching.length);
}

function cleared() {
  return Object.fromEntries([["q", null], ...FACETS.map(([facet]) => [facet, null])]);
}

function drawMore() {
  const more = matching.slice(drawn, drawn + CHUNK);
  byId("more")?.remove();
  byId("list").append(...more.map(listItem));
  drawn += more.length;
  if (drawn < matching.length) {
    const button = el("button", { id: "more", type: "button", onclick: drawMore }, "Show more");
    byId("list").append(button);
    new IntersectionObserver((entries, observer) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      if (button.isConnected) drawMore();
    }).observe(button);
  }
}

function listItem(task) {
  const isKept = task.outcome === "kept";
  return link(
    { task: task.id, attempt: null },
    {
      class: "item",
      "data-task": task.id,
      "aria-current": task.id === chosen.task ? "true" : null,
    },
    said("span", task.queries[0] || task.id, "request"),
    el(
      "span",
      { class: "meta" },
      el("span", { class: `dot ${task.difficulty}` }),
      `${task.difficulty} · ${inWords(task.domain)} · ${plural(task.turns, "turn")} · `,
      plural(task.calls, "call"),
      isKept ? null : el("b", {}, ` · dropped: ${reasonText(task.outcome)}`),
    ),
  );
}

function drawTask() {
  const key = `${chosen.task}/${chosen.attempt || ""}`;
  const number = NUMBERS.get(chosen.task);
  const view = byId("task-view");
  document.body.dataset.view = number === undefined ? "list" : "task";
  for (const item of document.querySelectorAll("#list .item")) {
    const isCurrent = item.dataset.task === chosen.task;
    if (!isCurrent) item.removeAttribute("aria-current");
    else {
      item.setAttribute("aria-current", "true");
      item.scrollIntoView({ block: "nearest" });
    }
  }
  renewLinks();
  if (key === shownKey) return;
  shownKey = key;
  if (number === undefined) {
    const text = chosen.task ? `No task here is called ${chosen.task}.` : "Choose a task to read it.";
    view.replaceChildren(el("p", { class: "empty" }, text));
    return;
  }
  const task = readData(`task-${number}`);
  view.replaceChildren(...taskPage(task, Number(chosen.attempt) || 0));
  view.scrollTop = 0;
  scrollTo(0, 0);
  document.title = `${task.id} · ${INDEX.title}`;
}

function follow() {
  const before = JSON.stringify({ ...chosen, task: null, attempt: null });
  chosen = readAddress();
  if (byId("search").value !== (chosen.q || "")) byId("search").value = chosen.q || "";
  if (JSON.stringify({ ...chosen, task: null, attempt: null }) !== before || !drawn) {
    drawFacets();
    drawList();
  }
  const isWide = matchMedia("(min-width: 50rem)").matches;
  if (!chosen.task && isWide && matching.length) {
    location.replace(addressOf({ task: matching[0].id }));
    return;
  }
  drawTask();
}

function step(distance) {
  const index = matching.findIndex((task) => task.id === chosen.task);
  const next = matching[Math.max(0, Math.min(matching.length - 1, index + distance))];
  while (next && drawn <= matching.indexOf(next) && drawn < matching.length) drawMore();
  if (next) location.hash = addressOf({ task: next.id, attempt: null });
}

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, select, textarea");
  if (isTyping && (event.key === "Escape" || event.key === "Enter")) event.target.blur();
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    byId("search").focus();
  } else if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
});
byId("search").addEventListener("input", () => location.replace(addressOf({ q: byId("search").value })));
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("task-view").focus();
});
addEventListener("hashchange", follow);
addEventListener("beforeprint", () => openAll("details:not(.raw)", true));
byId("filters").open = matchMedia("(min-width: 50rem)").matches;
follow();
