/** Searches the guides and the index of the operations, opens the operation that the address names, and leads to the page that phones choose. */

const input = /** @type {HTMLInputElement} */ (document.getElementById("docs-search"));
const pages = /** @type {HTMLSelectElement} */ (document.getElementById("docs-page"));
const index = /** @type {HTMLElement | null} */ (document.querySelector(".docs-index"));

/** @returns {HTMLElement | null} The element that the address names. */
function findTarget() {
  try {
    return document.getElementById(decodeURIComponent(location.hash.slice(1)));
  } catch {
    // A fragment with a broken escape names nothing.
    return null;
  }
}

function showTarget() {
  const target = findTarget();
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
    target.scrollIntoView();
  }
}

/** Leads from an anchor of the reference when it was one page, to the page that has its content now. */
function leaveOldAnchor() {
  const { hash } = location;
  if (/^#(errors|status-\d+)$/.test(hash)) location.replace(`/docs/errors${hash}`);
  const target = findTarget();
  const link = target?.dataset.indexed === undefined ? null : target.querySelector("a");
  if (link) location.replace(link.href);
}

/**
 * @typedef {object} Entry A guide or an operation of the index.
 * @property {HTMLElement} element
 * @property {readonly HTMLElement[]} shown The title and the description, in which the words are marked.
 * @property {string} title
 * @property {string} text All its words in lower case.
 */

/** @type {readonly Entry[]} */
const entries = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".docs-guides > li, .docs-index li")]).map((element) => {
  const link = element.querySelector("a");
  const group = element.closest(".docs-index > section")?.querySelector("a")?.textContent ?? "";
  return {
    element,
    shown: /** @type {HTMLElement[]} */ ([...element.querySelectorAll("a, p")]),
    title: link?.textContent ?? "",
    text: `${element.dataset.words} ${element.textContent} ${group}`.toLowerCase(),
  };
});
const groups = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".docs-index > section")]);

/**
 * Shows the guides and operations that contain all words, those with words in their titles first, and without words everything.
 * The words are marked.
 */
function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  /** @param {Entry} entry */
  const isTitled = ({ title }) => words.some((word) => title.toLowerCase().includes(word));
  for (const { element, shown, text } of entries) {
    element.hidden = !words.every((word) => text.includes(word));
    for (const part of shown) markIn(part, words);
    showReason(element, element.hidden ? [] : words);
  }
  const shown = entries.filter(({ element }) => !element.hidden);
  const titled = new Set(shown.filter(isTitled).map(({ element }) => element));
  const last = entries.filter(({ element }) => !titled.has(element));
  for (const element of [...titled, ...last.map(({ element }) => element)]) element.parentElement?.append(element);
  const isLast = groups.map((group) => [...titled].every((element) => !group.contains(element)));
  index?.append(...groups.filter((_, at) => !isLast[at]), ...groups.filter((_, at) => isLast[at]));
  for (const group of [...groups, document.querySelector(".docs-guides")?.closest("section")])
    if (group) group.hidden = group.querySelector("li:not([hidden])") === null;
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-not-searched]")))
    element.hidden = words.length > 0;
  index?.classList.toggle("searched", words.length > 0);
  const status = /** @type {HTMLElement} */ (document.querySelector("[data-no-results]"));
  status.textContent = entries.every(({ element }) => element.hidden) ? (status.dataset.noResults ?? "") : "";
}

/**
 * Shows the words by which an entry is found that it does not show, such as the names of fields.
 * @param {HTMLElement} element
 * @param {readonly string[]} words
 */
function showReason(element, words) {
  element.querySelector(".docs-reason")?.remove();
  const shown = (element.textContent ?? "").toLowerCase();
  const hidden = words.filter((word) => !shown.includes(word));
  const hasHidden = (/** @type {string} */ word) => hidden.some((part) => word.toLowerCase().includes(part));
  const found = (element.dataset.words ?? "").split(/[\s,.;:()]+/).filter(hasHidden);
  const reasons = [...new Map(found.map((word) => [word.toLowerCase(), word])).values()].slice(0, 3).join(", ");
  if (reasons === "") return;
  const reason = Object.assign(document.createElement("span"), { className: "quiet block docs-reason" });
  reason.append(...mark(reasons, words));
  element.append(reason);
}

/**
 * @param {Node} node
 * @returns {Text[]} The texts in a node, also those inside of its markup.
 */
function textsIn(node) {
  return node instanceof Text ? [node] : [...node.childNodes].flatMap(textsIn);
}

/**
 * Marks the words in the texts of an element, in place of those that were marked before, and leaves its markup.
 * @param {HTMLElement} element
 * @param {readonly string[]} words
 */
function markIn(element, words) {
  for (const marked of element.querySelectorAll("mark")) marked.replaceWith(...marked.childNodes);
  element.normalize();
  if (words.length > 0) for (const text of textsIn(element)) text.replaceWith(...mark(text.data, words));
}

/**
 * @param {string} text
 * @param {readonly string[]} words
 * @returns {(string | HTMLElement)[]} The parts of the text; those that are words of the search are marked.
 */
function mark(text, words) {
  const pattern = new RegExp(`(${words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|")})`, "i");
  return text
    .split(pattern)
    .map((part, at) => (at % 2 === 0 ? part : Object.assign(document.createElement("mark"), { textContent: part })));
}

// The list of pages scrolls to the current one, and the page does not.
const navigation = input.closest("nav");
const current = navigation?.querySelector(".docs-pages [aria-current]")?.getBoundingClientRect();
if (navigation && current && current.bottom > navigation.getBoundingClientRect().bottom)
  navigation.scrollTop += current.top - innerHeight / 2;

input.closest("search")?.removeAttribute("hidden");
pages.addEventListener("change", () => location.assign(pages.value));
// A page that the browser restores shows its own name again.
addEventListener("pageshow", () => pages.form?.reset());
addEventListener("hashchange", index ? leaveOldAnchor : showTarget);
if (index) {
  leaveOldAnchor();
  input.addEventListener("input", search);
  // The address has the words if the search began on another page. A browser restores the field's text when it reloads the page.
  input.value ||= new URLSearchParams(location.search).get("q") ?? "";
  input.form?.addEventListener("submit", (event) => event.preventDefault());
  search();
} else showTarget();

addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === "Escape" && event.target === input && index) {
    input.value = "";
    search();
  }
});
