// Word by word: what a refinement took out of a text and what it put in.

const MOST_WORDS = 1200;

function wordsOf(text) {
  return text.split(/(\s+|[.,;:!?"()])/).filter((part) => part !== "");
}

function commonTable(before, after) {
  const rows = [new Uint16Array(after.length + 1)];
  for (let i = before.length - 1; i >= 0; i -= 1) {
    const below = rows[rows.length - 1];
    const row = new Uint16Array(after.length + 1);
    for (let j = after.length - 1; j >= 0; j -= 1) {
      row[j] = before[i] === after[j] ? below[j + 1] + 1 : Math.max(below[j], row[j + 1]);
    }
    rows.push(row);
  }
  return rows.reverse();
}

function wordChanges(beforeText, afterText) {
  const before = wordsOf(beforeText);
  const after = wordsOf(afterText);
  if (before.length > MOST_WORDS || after.length > MOST_WORDS) {
    return [["del", beforeText], ["ins", afterText]];
  }
  const common = commonTable(before, after);
  const steps = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      steps.push(["same", before[i]]);
      i += 1;
      j += 1;
    } else if (j >= after.length || (i < before.length && common[i + 1][j] >= common[i][j + 1])) {
      steps.push(["del", before[i]]);
      i += 1;
    } else {
      steps.push(["ins", after[j]]);
      j += 1;
    }
  }
  return joined(steps);
}

// Neighbouring words of one kind become one run; a space between two changed words is changed too,
// so that a replaced phrase reads as one.
function joined(steps) {
  const isGap = (index) =>
    steps[index][0] === "same" &&
    /^\s+$/.test(steps[index][1]) &&
    index > 0 &&
    index + 1 < steps.length &&
    steps[index - 1][0] !== "same" &&
    steps[index + 1][0] !== "same";
  const runs = [];
  let gone = "";
  let come = "";
  const flush = () => {
    if (gone) runs.push(["del", gone]);
    if (come) runs.push(["ins", come]);
    gone = "";
    come = "";
  };
  steps.forEach(([kind, text], index) => {
    if (isGap(index)) {
      gone += text;
      come += text;
    } else if (kind === "del") gone += text;
    else if (kind === "ins") come += text;
    else {
      flush();
      runs.push(["same", text]);
    }
  });
  flush();
  return runs;
}

function wordDifference(before, after) {
  const runs = wordChanges(before, after).map(([kind, text]) =>
    kind === "same" ? text : el(kind, {}, text),
  );
  return el("p", { class: "difference", dir: "auto" }, runs);
}
