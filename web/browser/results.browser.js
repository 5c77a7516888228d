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
 * What several uploads were answered with, as one: their links together, then each.
 * @param {readonly string[]} answers @param {"h1" | "h2"} heading
 */
function toResults(answers, heading) {
  const mains = answers.map((html) => new DOMParser().parseFromString(html, "text/html").getElementById("main"));
  const [first] = mains;
  const more = first?.querySelector(".actions");
  const links = mains.map((main) => main?.querySelector("[data-link]")?.getAttribute("href") ?? "");
  for (const main of mains) {
    main?.querySelector("h1")?.remove();
    if (main !== first || heading === "h2") main?.querySelector(".actions")?.remove();
  }
  const top = document.createElement("section");
  top.className = "card";
  const title = document.createElement(heading);
  title.textContent = links.length === 1 ? "The link that is ready" : `${links.length} links are ready`;
  const box = document.createElement("div");
  box.className = "copyable";
  const text = document.createElement("pre");
  text.id = "links";
  text.textContent = links.join("\n");
  const copy = document.createElement("button");
  copy.className = "button";
  copy.type = "button";
  copy.dataset.copy = "links";
  copy.textContent = "Copy all";
  box.append(text, copy);
  top.append(title, box);
  if (more && heading === "h1") top.append(more);
  return [...(links.length > 1 || heading === "h2" ? [top] : []), ...mains.flatMap((main) => [...(main?.children ?? [])])];
}
