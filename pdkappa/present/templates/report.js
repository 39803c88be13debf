"use strict";
/* Tables that can be sorted: a click on the name of a column, again for the other way round. */
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const said = document.createElement("div");
  said.className = "hidden";
  said.setAttribute("role", "status");
  table.closest(".scroll").after(said);
  heads.forEach((head, place) => {
    const name = head.textContent;
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-label", `Sort by ${name}`);
    const start = name.lastIndexOf(" ") + 1;
    const last = document.createElement("span");
    last.className = "whole";
    last.append(name.slice(start), "\u00a0", button);
    head.replaceChildren(name.slice(0, start), last);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      for (const body of table.tBodies) {
        sort(body, place, down);
      }
      said.textContent = `Sorted by ${name}, ${down ? "descending" : "ascending"}.`;
    });
  });
}

function sort(body, place, down) {
  const rows = [...body.rows].map((row) => {
    const cell = row.cells[place];
    const missing = cell.classList.contains("none") || cell.textContent === "";
    return { row, missing, value: cell.dataset.value ?? cell.textContent };
  });
  const known = rows.filter((one) => !one.missing);
  const numeric = known.every((one) => one.value.trim() !== "" && !Number.isNaN(Number(one.value)));
  const text = new Intl.Collator(document.documentElement.lang, { numeric: true });
  const compare = numeric
    ? (a, b) => Number(a.value) - Number(b.value)
    : (a, b) => text.compare(a.value, b.value);
  known.sort(down ? (a, b) => compare(b, a) : compare);
  body.append(...known.concat(rows.filter((one) => one.missing)).map((one) => one.row));
}

/* Texts that can be copied at once. */
for (const text of document.querySelectorAll(".copy pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  text.after(button);
  button.addEventListener("click", async () => {
    let copied = true;
    try {
      await navigator.clipboard.writeText(text.textContent);
    } catch {
      getSelection().selectAllChildren(text);
      copied = document.execCommand("copy");
    }
    button.textContent = copied ? "Copied" : "Press Ctrl+C";
  });
}
