/** Shows the results of uploads, each a page of the server. Loaded when the first file is sent. */

/**
 * Replaces the page with the results, or shows them in `place` if files are still to be sent.
 * @param {readonly string[]} pages At least one. @param {HTMLElement | undefined} place
 */
export function showResults(pages, place) {
  if (place) {
    place.replaceChildren(...toResults(pages, "h2"));
    document.dispatchEvent(new Event("filehost:shown"));
    return;
  }
  const [only = ""] = pages;
  document.dispatchEvent(new CustomEvent("filehost:page", { detail: pages.length === 1 ? only : toPage(pages) }));
  scrollTo(0, 0);
}

/** @param {readonly string[]} pages */
function toPage(pages) {
  const page = document.implementation.createHTMLDocument(`${pages.length} links are ready – filehost`);
  const main = page.createElement("main");
  main.id = "main";
  main.tabIndex = -1;
  main.dataset.state = "uploaded";
  main.dataset.say = `Uploaded. ${pages.length} links are ready.`;
  main.append(...toResults(pages, "h1"));
  page.body.append(main);
  return page.documentElement.outerHTML;
}

/**
 * Combines results: a list of all links if there are several, then a card for each.
 * @param {readonly string[]} pages @param {"h1" | "h2"} heading
 */
function toResults(pages, heading) {
  const mains = pages.map((html) => new DOMParser().parseFromString(html, "text/html").getElementById("main"));
  const links = mains.map((main) => main?.querySelector("[data-link]")?.getAttribute("href") ?? "");
  const more = mains[0]?.querySelector(".actions");
  const cards = mains.flatMap((main) => (main ? [toCard(main)] : []));
  const title = Object.assign(document.createElement(heading), {
    textContent: links.length === 1 ? "Your link is ready" : `${links.length} links are ready`,
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

/** Combines a result's cards into one: the file, its link, and the sender's secrets in a closed section. @param {HTMLElement} main */
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
