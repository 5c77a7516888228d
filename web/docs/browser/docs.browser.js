/** Searches the API reference and marks the operation in view. Without this script, the browser's own search finds everything. */

const input = /** @type {HTMLInputElement} */ (document.getElementById("docs-search"));
const navigation = /** @type {HTMLElement} */ (document.querySelector(".docs-navigation"));
const groups = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".docs-group"));

const noResults = /** @type {HTMLElement} */ (document.querySelector("[data-no-results]"));

/** @param {string} anchor @returns {HTMLAnchorElement | null} */
const linkTo = (anchor) => navigation.querySelector(`a[href="#${CSS.escape(anchor)}"]`);

/** The text of each operation and of each section without operations, in lower case. */
const entries = [...groups].flatMap((group) => {
  const operations = /** @type {NodeListOf<HTMLElement>} */ (group.querySelectorAll("[data-operation]"));
  return (operations.length > 0 ? [...operations] : [group]).map((element) => ({
    element,
    text: `${element.id} ${element.textContent} ${group.querySelector("h2")?.textContent}`.toLowerCase(),
  }));
});

/** Shows the operations and sections that contain all words. */
function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { element, text } of entries)
    setShown(
      element,
      words.every((word) => text.includes(word)),
    );
  for (const group of groups) {
    const isEmpty = group.querySelector("[data-operation]") !== null && group.querySelector("[data-operation]:not([hidden])") === null;
    if (isEmpty || !entries.some(({ element }) => element === group)) setShown(group, !isEmpty);
  }
  noResults.textContent = entries.every(({ element }) => element.hidden) ? (noResults.dataset.noResults ?? "") : "";
}

/** @param {HTMLElement} element @param {boolean} isShown */
function setShown(element, isShown) {
  element.hidden = !isShown;
  const item = linkTo(element.id)?.parentElement;
  if (item) item.hidden = !isShown;
}

/** Shows everything if the search hides the target of the address. */
function showTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target?.closest("[hidden]")) return;
  input.value = "";
  search();
  target.scrollIntoView();
}

/** @type {Element | null} */
let marked = null;
const observer = new IntersectionObserver(
  (changes) => {
    const seen = changes.find(({ isIntersecting }) => isIntersecting)?.target;
    const link = seen && linkTo(seen.id);
    if (!link || link === marked) return;
    marked?.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    marked = link;
    // Only the navigation scrolls, never the page.
    const { top, bottom } = link.getBoundingClientRect();
    const frame = navigation.getBoundingClientRect();
    if (top < frame.top || bottom > frame.bottom) navigation.scrollTop += top - frame.top - frame.height / 2;
  },
  { rootMargin: "-15% 0px -80% 0px" },
);
for (const { element } of entries) observer.observe(element);

input.parentElement?.removeAttribute("hidden");
input.addEventListener("input", () => {
  search();
  // The page scrolls up, because results above the view would not be visible.
  const body = noResults.parentElement;
  if (body && body.getBoundingClientRect().top < 0) body.scrollIntoView();
});
addEventListener("hashchange", showTarget);
addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea");
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === "Escape" && event.target === input) {
    input.value = "";
    search();
  }
});
// A browser restores the field's text when it reloads the page.
search();
