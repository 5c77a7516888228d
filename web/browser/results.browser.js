/** Shows what uploads were answered with, each a whole page of the server's. Loaded when the first file is sent. */

/**
 * In place of what the page shows, or in `place` below what is still to be sent.
 * @param {readonly string[]} answers At least one. @param {HTMLElement | undefined} place
 */
export function showAnswers(answers, place) {
  if (place) {
    place.replaceChildren(...toResults(answers, "h2"));
    document.dispatchEvent(new Event("filehost:shown"));
    return;
  }
  const [only = ""] = answers;
  document.dispatchEvent(new CustomEvent("filehost:page", { detail: answers.length === 1 ? only : toPage(answers) }));
  scrollTo(0, 0);
}

/** @param {readonly string[]} answers */
function toPage(answers) {
  const page = document.implementation.createHTMLDocument(`${answers.length} links are ready – filehost`);
  const main = page.createElement("main");
  main.id = "main";
  main.tabIndex = -1;
  main.dataset.state = "uploaded";
  main.dataset.say = `Uploaded. ${answers.length} links are ready.`;
  main.append(...toResults(answers, "h1"));
  page.body.append(main);
  return page.documentElement.outerHTML;
}

/**
 * What uploads were answered with, as one: their links together where there are several, then each.
 * @param {readonly string[]} answers @param {"h1" | "h2"} heading
 */
function toResults(answers, heading) {
  const mains = answers.map((html) => new DOMParser().parseFromString(html, "text/html").getElementById("main"));
  const links = mains.map((main) => main?.querySelector("[data-link]")?.getAttribute("href") ?? "");
  const more = mains[0]?.querySelector(".actions");
  const cards = mains.flatMap((main) => (main ? [toCard(main)] : []));
  const title = Object.assign(document.createElement(heading), {
    textContent: links.length === 1 ? "This link is ready" : `${links.length} links are ready`,
  });
  if (links.length === 1) {
    cards[0]?.prepend(title);
    return cards;
  }
  const text = Object.assign(document.createElement("pre"), { id: "links", textContent: links.join("\n") });
  const copy = Object.assign(document.createElement("button"), { className: "button", type: "button", textContent: "Copy all" });
  copy.dataset.copy = text.id;
  const box = Object.assign(document.createElement("div"), { className: "copyable" });
  box.append(text, copy);
  const top = Object.assign(document.createElement("section"), { className: "card" });
  top.append(title, box, ...(more && heading === "h1" ? [more] : []));
  return [top, ...cards];
}

/** One card of an answer's several: the file, its link, and what is for the sender alone folded away. @param {HTMLElement} main */
function toCard(main) {
  const [card, ...others] = /** @type {HTMLElement[]} */ ([...main.children]);
  if (!card) return main;
  for (const part of card.querySelectorAll("h1, .actions")) part.remove();
  card.prepend(...card.querySelectorAll(".file"));
  for (const other of others) {
    const isFolded = other.dataset.fold !== undefined;
    const title = other.querySelector("h2");
    const part = document.createElement(isFolded ? "details" : "div");
    part.className = "part";
    if (isFolded && title) title.replaceWith(Object.assign(document.createElement("summary"), { textContent: title.textContent }));
    else if (title) title.replaceWith(Object.assign(document.createElement("p"), { textContent: title.textContent, className: "strong" }));
    part.append(...other.childNodes);
    card.append(part);
  }
  return card;
}
