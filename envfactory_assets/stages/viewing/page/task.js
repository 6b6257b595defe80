// One task: its head, the conversation, and beside it the reward, the attempts and the facts.

const LOST = {
  another_candidate_is_better: "another attempt is better",
  does_not_solve_the_task: "does not solve the task",
  no_candidate_solves_the_task: "no attempt solves the task",
};

function reasonText(reason) {
  return Object.hasOwn(LOST, reason) ? LOST[reason] : inWords(reason.replace(":", ": "));
}

function taskPage(task, chosen) {
  names = task.names;
  const attempt = chosen ? task.attempts[chosen - 1] : null;
  const items = attempt?.conversation || task.conversation;
  return [
    taskHead(task),
    el(
      "div",
      { class: "columns" },
      el(
        "section",
        { class: "conversation", "aria-label": "Conversation" },
        attempt ? attemptNotice(task, attempt) : null,
        conversationItems(task, items),
        !attempt && task.plan.length ? planned(task.plan) : null,
      ),
      el(
        "aside",
        { class: "beside", "aria-label": "Reward, attempts and facts" },
        rewardPanel(attempt || task),
        attemptsPanel(task, chosen),
        factsPanel(task),
      ),
    ),
  ];
}

function taskHead(task) {
  const kept = task.drop_reason
    ? badge(`dropped: ${reasonText(task.drop_reason)}`, "refused")
    : badge("kept", "good");
  const twin = task.matched && NUMBERS.has(task.matched);
  const size = `${plural(task.turns.length, "turn")}, ${plural(callsOf(task.conversation), "call")}`;
  return el(
    "header",
    { class: "head" },
    link({ task: null, attempt: null }, { class: "back" }, "← All tasks"),
    said("h2", task.persona || task.id),
    el(
      "p",
      { class: "who" },
      task.environments.map((id) => asTitle(id.split(".")[1])).join(" and "),
      ` · ${size} · `,
      task.start ? [plain(task.start), " · "] : null,
      copyable(task.id),
    ),
    task.story ? said("p", task.story, "story") : null,
    el(
      "p",
      { class: "badges" },
      kept,
      task.matched
        ? el("span", { class: "aside" }, "like ", twin
          ? link({ task: task.matched, attempt: null }, {}, task.matched)
          : said("bdi", task.matched))
        : null,
      badge(task.difficulty, task.difficulty),
      badge(task.split ? inWords(task.split) : "in no split", ""),
      badge(task.replays ? "replays" : "does not replay", task.replays ? "good" : "refused"),
    ),
    el(
      "p",
      { class: "tools" },
      el("button", { type: "button", onclick: () => openAll("details.result", true) }, "Open all results"),
      el("button", { type: "button", onclick: () => openAll("details.refined", true) }, "Open all refinements"),
      el("button", { type: "button", onclick: () => openAll("details", false) }, "Close all"),
    ),
  );
}

function callsOf(items) {
  return items.filter((item) => item.call !== undefined).length;
}

function openAll(selector, isOpen) {
  for (const node of document.querySelectorAll(`#task-view ${selector}`)) {
    if (isOpen && node.fill) node.fill();
    node.open = isOpen;
  }
}

function attemptNotice(task, attempt) {
  const fate = attempt.drop_reason ? `not kept: ${reasonText(attempt.drop_reason)}` : "kept";
  return el(
    "div",
    { class: "notice" },
    el("p", {}, "This is the attempt ", el("b", {}, inWords(attempt.policy)), ` (${fate}). `,
      link({ attempt: null }, {}, "Back to the reference")),
    attempt.why.length
      ? [el("p", {}, "Compared with the reference:"),
        el("ul", {}, attempt.why.map((reason) => said("li", sentence(reason))))]
      : null,
  );
}

// The reward counts calls from 0, names tools as on the wire, and writes places as paths.
function sentence(text) {
  return withToolTitles(text)
    .replace(/^[a-z]+\.(\w+)\/(\S+)/, (_, environment, path) =>
      [asTitle(environment), ...path.split("/").map(inWords)].join(", "),
    )
    .replace(/\b([Cc]all) (\d+)/g, (_, word, number) => `${word} ${Number(number) + 1}`)
    .replace(/\bis absent\b/g, "is missing");
}

function conversationItems(task, items) {
  let calls = 0;
  return items.map((item) => {
    if (item.call !== undefined) {
      calls += 1;
      return callCard(task.calls[item.call], item, calls);
    }
    if (item.role === "system") {
      return disclosure("What the agent was told", false, "system", () => said("p", item.text));
    }
    const speaker = item.role === "user" ? "User" : "Agent";
    const bubble = el(
      "div",
      { class: `said ${item.role}` },
      el("span", { class: "speaker" }, speaker),
      said("p", item.text),
    );
    if (item.turn === undefined) return bubble;
    const turn = task.turns[item.turn];
    return [
      el("h3", { class: "turn" }, `Turn ${item.turn + 1} of ${task.turns.length}`),
      bubble,
      turn ? [refinement(turn), keptBack(turn)] : null,
    ];
  });
}

function refinement(turn) {
  if (!turn.operations) return null;
  const applied = turn.operations.filter((operation) => operation.applied);
  const list = applied.map((operation) => inWords(operation.name)).join(", ");
  const summary = applied.length ? `Refined: ${list}` : "Asked as first drafted";
  return disclosure(summary, false, "refined", () =>
    el(
      "div",
      { class: "body" },
      applied.length
        ? [el("h5", {}, "From draft to request"), wordDifference(turn.draft, turn.text)]
        : null,
      turn.plan ? [el("h5", {}, "Meant"), said("p", turn.plan)] : null,
      turn.notes.length
        ? [el("h5", {}, "Notes"), el("ul", {}, turn.notes.map((note) => said("li", note)))]
        : null,
      turn.operations.length ? [el("h5", {}, "Refinements tried"), operations(turn)] : null,
    ),
  );
}

function operations(turn) {
  return el(
    "ol",
    { class: "operations" },
    turn.operations.map((operation) =>
      el(
        "li",
        {},
        badge(operation.applied ? "applied" : "not applied", operation.applied ? "good" : ""),
        " ",
        el("b", {}, asTitle(operation.name)),
        said("p", operation.reason, "about"),
        operation.before !== undefined ? wordDifference(operation.before, operation.after) : null,
      ),
    ),
  );
}

function keptBack(turn) {
  if (!turn.kept_back?.length) return null;
  return el(
    "p",
    { class: "kept-back" },
    "The user says only when asked: ",
    turn.kept_back.map((fact, index) => [
      index ? "; " : null,
      said("b", fact.topic),
      " — ",
      said("q", fact.answer),
    ]),
  );
}

function planned(calls) {
  const cards = calls.map((call, index) =>
    el(
      "li",
      {},
      el("b", {}, toolTitle(call.tool)),
      el("span", { class: "aside" }, ` ${environmentTitle(call.tool)}, turn ${Number(call.turn) + 1}`),
      plannedArguments(call.arguments),
    ),
  );
  return el(
    "section",
    { class: "notice" },
    el("h3", {}, "What the task was built for"),
    el("p", {}, "The conversation above is the best attempt; these are the calls that were planned."),
    el("ol", {}, cards),
  );
}

function plannedArguments(values) {
  const entries = Object.entries(values).filter(([, value]) => !isBlank(value));
  return entries.length ? definitions(entries) : null;
}

function rewardPanel(shown) {
  const reward = shown.reward;
  const alpha = INDEX.alpha;
  const number = (value) => value.toFixed(2);
  const rest = Math.round((1 - alpha) * 100) / 100;
  return el(
    "section",
    { class: "panel" },
    el("h3", {}, "Reward"),
    el(
      "div",
      { class: "bars" },
      bar("Total", reward.total, "total"),
      bar("Calls", reward.trajectory, ""),
      bar("End state", reward.state, ""),
      bar("Needless calls", reward.length, "penalty"),
      bar("Malformed calls", reward.format, "penalty"),
    ),
    el(
      "p",
      { class: "about formula" },
      `${alpha} × ${number(reward.trajectory)} + ${rest} × ${number(reward.state)} `,
      `− ${number(reward.length)} − ${number(reward.format)} = ${number(reward.total)}`,
    ),
    el("p", { class: "about" }, `${alpha} × calls + ${rest} × end state − needless − malformed, between 0 and 1`),
  );
}

function bar(name, value, kind) {
  const share = Math.max(0, Math.min(1, value));
  return el(
    "div",
    { class: `bar ${kind}` },
    el("span", {}, name),
    meter(share),
    el("span", { class: "number" }, `${kind === "penalty" && value ? "−" : ""}${value.toFixed(2)}`),
  );
}

function meter(share) {
  const node = el("span", { class: "meter", "aria-hidden": "true" }, el("i", {}));
  node.firstChild.style.width = `${100 * share}%`;
  return node;
}

function opinions(attempt) {
  const shared = `ends like ${Math.round(100 * attempt.agreement)} % of the others`;
  return attempt.judgement === null ? shared : `${shared} · judged ${attempt.judgement.toFixed(2)}`;
}

function attemptsPanel(task, chosen) {
  if (!task.attempts.length) return null;
  const item = (attempt, index) => {
    const reward = attempt.reward;
    const isChosen = index + 1 === chosen;
    const parts = `calls ${reward.trajectory.toFixed(2)} · end state ${reward.state.toFixed(2)}`;
    const lost = reward.length + reward.format;
    const penalty = lost ? ` · penalties −${lost.toFixed(2)}` : "";
    return el(
      "li",
      { class: isChosen ? "chosen" : null },
      el(
        "p",
        {},
        link(
          { attempt: index + 1 },
          { "aria-current": isChosen ? "true" : null },
          inWords(attempt.policy),
        ),
        attempt.drop_reason ? badge(reasonText(attempt.drop_reason), "") : badge("kept", "good"),
      ),
      meter(reward.total),
      el("b", { class: "number" }, reward.total.toFixed(2)),
      el("small", {}, `${parts}${penalty} · ${plural(attempt.calls, "call")}`),
      el("small", {}, opinions(attempt)),
    );
  };
  return el(
    "section",
    { class: "panel attempts" },
    el("h3", {}, plural(task.attempts.length, "attempt")),
    el("ol", {}, task.attempts.map(item)),
    el("p", { class: "about" }, "Choose one to read it. The reference is the kept one, without what it did not need."),
  );
}

function factsPanel(task) {
  const facts = [
    ["Task", copyable(task.id)],
    ["Trajectory", copyable(task.trajectory)],
    task.chain ? ["Chain", copyable(task.chain)] : null,
    ["Domain", asTitle(task.domain)],
    ["Difficulty", `${task.difficulty}; ${Math.round(100 * task.solved_share)} % of attempts solve it`],
    ["Steps removed", String(task.removed_steps)],
    ["Doing nothing earns", task.do_nothing_reward.toFixed(2)],
    ["Replays", task.replays ? "yes, byte for byte" : "no"],
    ["End state", copyable(task.end_state_hash.slice(0, 16))],
    ["Seed", String(task.seed ?? "—")],
    ["Made by", task.made_by.join(", ")],
  ].filter(Boolean);
  return el(
    "section",
    { class: "panel" },
    el("h3", {}, "Facts"),
    el("dl", {}, facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
  );
}
