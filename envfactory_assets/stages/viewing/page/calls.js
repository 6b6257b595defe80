// A call as a card: what was asked for, what came of it, what it changed.

function callCard(call, item, number) {
  const known = INDEX.tools[call.tool];
  const state = call.ok ? call.effect : "refused";
  const verb = { read: "Look-up", write: "Change", refused: "Refused" }[state];
  return el(
    "article",
    { class: `call ${state} ${item.by ? "by-user" : ""}`, "aria-label": `${verb}: ${toolTitle(call.tool)}` },
    el(
      "header",
      {},
      badge(verb, state),
      el("h4", { title: call.tool }, toolTitle(call.tool)),
      el("span", { class: "aside" }, environmentTitle(call.tool)),
      item.by ? badge(`by the ${item.by}`, "") : null,
      el("span", { class: "aside end" }, `call ${number}`),
    ),
    known?.description ? el("p", { class: "about" }, known.description) : null,
    argumentList(call, item),
    outcome(call),
    call.ok && call.effect === "write" ? changeList(call.changes) : null,
    orderNote(item),
    rawJson({ tool: call.tool, arguments: call.arguments, result: call.result }),
  );
}

function argumentList(call, item) {
  const given = call.arguments;
  if (isScalar(given) || Array.isArray(given)) {
    return el("p", { class: "about" }, "Arguments that cannot be read: ", said("code", String(given)));
  }
  const masked = item.masked || [];
  const note = () =>
    badge("any value would do", "masked", "Other values were tried: nothing that matters changed.");
  const entries = Object.entries(given);
  const left = masked.filter((name) => !Object.hasOwn(given, name));
  if (!entries.length && !left.length) return null;
  const shown = entries.map(([key, value]) => [key, value, masked.includes(key) ? note() : null]);
  return el(
    "div",
    { class: "arguments" },
    definitions([...shown, ...left.map((key) => [key, null, note()])]),
  );
}

function outcome(call) {
  if (!call.ok) {
    const reason = isScalar(call.result) ? call.result : (call.result.error ?? call.result);
    return el("p", { class: "refusal" }, el("strong", {}, "Refused. "), said("span", withToolTitles(plain(reason))));
  }
  if (call.result === "") return el("p", { class: "about" }, "No result was recorded.");
  if (isScalar(call.result)) {
    return el("p", { class: "result" }, el("b", {}, "Result "), scalar(call.result));
  }
  const summary = [el("b", {}, "Result "), said("span", summaryOf(call.result), "short")];
  const isOpen = isSmall(call.result) && call.effect === "read";
  return disclosure(summary, isOpen, "result", () => resultBody(call.result));
}

function resultBody(result) {
  if (Array.isArray(result)) return renderValue(result);
  const entries = Object.entries(result);
  const isRows = ([, value]) =>
    Array.isArray(value) && value.length > 0 && !value.some(isScalar);
  const rows = entries.filter(isRows);
  const others = entries.filter((entry) => !isRows(entry));
  const single = rows.length === 1 && !others.length;
  return el(
    "div",
    { class: "body" },
    others.length ? definitions(others) : null,
    rows.map(([key, value]) => [single ? null : el("h5", {}, asTitle(key)), table(value)]),
  );
}

function changeList(changes) {
  if (changes === null) {
    return el(
      "p",
      { class: "about" },
      "What this changed cannot be told: run again today, the calls give something else.",
    );
  }
  if (!changes.length) return el("p", { class: "about" }, "Nothing changed.");
  return el(
    "section",
    { class: "changes", "aria-label": "What changed" },
    el("h5", {}, "What changed"),
    el("ul", {}, changes.map((change) => el("li", {}, changeRow(change)))),
  );
}

function changeRow(change) {
  const label = change.label || names[change.id];
  const who = [
    el("b", {}, change.what),
    label ? [" ", said("bdi", label)] : null,
    change.id ? [" ", el("code", {}, change.id)] : null,
  ];
  if (change.kind === "changed") {
    const isOne = change.fields.length === 1;
    const lines = change.fields.map(fieldChange);
    return [who, isOne ? [": ", lines[0]] : el("ul", {}, lines.map((line) => el("li", {}, line)))];
  }
  const isNew = change.kind === "added";
  const parts = isScalar(change.value)
    ? [["", change.value]]
    : Object.entries(change.value).filter(([, value]) => !isBlank(value));
  return [
    badge(isNew ? "new" : "gone", isNew ? "added" : "removed"),
    " ",
    who,
    el("div", { class: "whole" }, definitions(parts)),
  ];
}

function fieldChange(field) {
  const name = field.name
    ? [isNamed(field.name) ? scalar(field.name) : said("span", inWords(field.name)), " "]
    : null;
  if (field.kind) {
    const isNew = field.kind === "added";
    return [name, el(isNew ? "ins" : "del", {}, isNew ? "+ " : "− ", named(field.value))];
  }
  const side = (tag, value) =>
    isBlank(value) ? el("span", { class: "blank" }, "empty") : said(tag, named(value));
  return [name, side("del", field.before), " → ", side("ins", field.after)];
}

function orderNote(item) {
  const before = (item.after || []).map((index) => index + 1);
  if (!before.length) return null;
  return el("p", { class: "about" }, `Must come after call ${before.join(" and ")}.`);
}
