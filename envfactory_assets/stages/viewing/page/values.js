// JSON values as people read them: tables, lists, words.

const INDEX = readData("index");
const LABELS = ["name", "title", "subject", "label"];
const MOMENT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?$/;
const SHORT_CELL = 16;
let names = {};

function inWords(name) {
  return String(name).replaceAll("_", " ").trim();
}

function asTitle(name) {
  const words = inWords(name);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function toolTitle(wireName) {
  return INDEX.tools[wireName]?.title || asTitle(String(wireName).split("__").pop());
}

function withToolTitles(text) {
  return text.replace(/\w+__\w+/g, (name) => (INDEX.tools[name] ? `“${toolTitle(name)}”` : name));
}

function environmentTitle(wireName) {
  return INDEX.tools[wireName]?.environment || asTitle(String(wireName).split("__")[0]);
}

function isScalar(value) {
  return value === null || typeof value !== "object";
}

function isBlank(value) {
  if (value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function plain(value) {
  if (value === null || value === undefined || value === "") return "—";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length ? value.map(plain).join(", ") : "none";
  if (typeof value === "object") {
    const parts = Object.entries(value).filter(([, item]) => !isBlank(item));
    return parts.map(([key, item]) => `${inWords(key)} ${plain(item)}`).join(" · ") || "—";
  }
  const moment = MOMENT.exec(value);
  return moment ? `${moment[1]} ${moment[2]}` : String(value);
}

function isNamed(value) {
  return typeof value === "string" && Object.hasOwn(names, value);
}

// An id is shown with its name, unless the name stands beside it anyway.
function scalar(value, beside = []) {
  if (isBlank(value)) return el("span", { class: "blank" }, "—");
  if (!isNamed(value)) return said("bdi", plain(value));
  const name = beside.includes(names[value]) ? null : [said("bdi", names[value]), " "];
  return el("span", {}, name, el("code", {}, value));
}

function renderValue(value, beside) {
  if (isScalar(value)) return scalar(value, beside);
  if (!Array.isArray(value)) return definitions(Object.entries(value));
  if (!value.length) return el("span", { class: "blank" }, "none");
  if (value.some(isScalar)) {
    return el("ul", { class: "inline" }, value.map((item) => el("li", {}, renderValue(item))));
  }
  return table(value);
}

function definitions(entries) {
  if (!entries.length) return el("span", { class: "blank" }, "nothing");
  const beside = entries.map(([, value]) => value);
  return el(
    "dl",
    {},
    entries.map(([key, value, note]) =>
      el("div", {}, keyName(key), el("dd", {}, renderValue(value, beside), note ? [" ", note] : null)),
    ),
  );
}

function keyName(key) {
  return isNamed(key) ? el("dt", {}, scalar(key)) : said("dt", inWords(key));
}

function table(rows) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const kind = (column) =>
    rows.some((row) => typeof row[column] === "number") ? "number" : null;
  const cell = (row, column) => {
    const value = row[column] ?? null;
    const shown = isScalar(value) ? scalar(value, Object.values(row)) : said("bdi", plain(value));
    const isShort = isScalar(value) && plain(value).length <= SHORT_CELL;
    return el("td", { class: kind(column) || (isShort ? "short-cell" : null) }, shown);
  };
  return el(
    "div",
    { class: "scroll", tabindex: "0" },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, columns.map((name) => el("th", { class: kind(name) }, inWords(name))))),
      el("tbody", {}, rows.map((row) => el("tr", {}, columns.map((name) => cell(row, name))))),
    ),
  );
}

function labelOf(item) {
  if (isScalar(item)) return plain(item);
  const key = LABELS.find((name) => typeof item[name] === "string" && item[name]);
  if (key) return item[key];
  const known = Object.values(item).find(isNamed);
  if (known) return names[known];
  const text = Object.values(item).find((value) => typeof value === "string" && value);
  return text ? plain(text) : "…";
}

function summaryOf(result) {
  if (isScalar(result)) return plain(result);
  if (Array.isArray(result)) return listSummary("items", result);
  const lists = Object.entries(result).filter(([, value]) => Array.isArray(value));
  if (lists.length === 1 && Object.keys(result).length <= 2) return listSummary(...lists[0]);
  const beside = Object.values(result);
  const isTold = (value) => isBlank(value) || (isNamed(value) && beside.includes(names[value]));
  const parts = Object.entries(result).filter(([, value]) => isScalar(value) && !isTold(value));
  const part = ([key, value]) =>
    isNamed(value) ? `${inWords(key.replace(/_id$/, ""))} ${named(value)}` : `${inWords(key)} ${plain(value)}`;
  const text = parts.slice(0, 4).map(part);
  return text.join(", ") || plural(Object.keys(result).length, "value");
}

function named(value) {
  return isNamed(value) ? names[value] : plain(value);
}

function listSummary(key, items) {
  const noun = inWords(key);
  if (!items.length) return `no ${noun}`;
  const shown = items.slice(0, 3).map(labelOf).join(", ");
  return `${items.length} ${noun}: ${shown}${items.length > 3 ? ", …" : ""}`;
}

function isSmall(result) {
  if (isScalar(result)) return true;
  const lists = Object.values(result).filter(Array.isArray);
  return lists.every((list) => list.length <= 3) && Object.keys(result).length <= 8;
}
