/** Improves the list of a shipment: loads folders, further files and search results in place, and keeps a selection across them. */
import { selection as texts } from "#texts/share";
import { announce } from "../../../site/browser/components/announce.ts";
import { enhanceMain, getMain, parsePage } from "../../../site/browser/page/main-element.ts";
import { send } from "../../../site/browser/page/send.ts";
import { followThumbnails } from "./follow-thumbnails.ts";
import { restoreSelection } from "./selection.ts";

const SEARCH_PAUSE_MS = 250;

const findList = (): HTMLElement | null => document.getElementById("listing");

let isListening = false;

/** Improves the list of the page. Called again for each list that the page shows. */
export function improveList(): void {
  const list = findList();
  if (!list) return;
  for (const more of list.querySelectorAll<HTMLElement>("[data-more]")) more.textContent = more.dataset.more ?? "";
  for (const previous of list.querySelectorAll(".pages > span")) previous.toggleAttribute("hidden", true);
  restoreSelection();
  if (!isListening) listen();
  // Until this attribute is set, the links of the list open pages.
  list.dataset.ready = "";
  for (const folder of list.querySelectorAll<HTMLDetailsElement>("details[data-folder][open]")) void loadFolder(folder);
}

function listen(): void {
  isListening = true;
  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0) return;
    const link = event.target instanceof Element ? event.target.closest<HTMLElement>("#listing [data-preview]") : null;
    if (link) {
      event.preventDefault();
      return void showPreview(link);
    }
    const go = event.target instanceof Element ? event.target.closest<HTMLElement>("#listing [data-go]") : null;
    if (!go) return;
    event.preventDefault();
    void (go.dataset.go === "add" ? addEntries(go) : showList(go));
  });
  // The listener captures, because a toggle event does not bubble.
  document.addEventListener(
    "toggle",
    (event) => {
      if (event.target instanceof HTMLDetailsElement && event.target.open) void loadFolder(event.target);
    },
    true,
  );
  let pause: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("input", (event) => {
    if (!(event.target instanceof HTMLInputElement) || event.target.id !== "search") return;
    clearTimeout(pause);
    pause = setTimeout(search, SEARCH_PAUSE_MS);
  });
  document.addEventListener("submit", (event) => {
    if (!(event.target instanceof HTMLFormElement) || event.target.id !== "go") return;
    event.preventDefault();
    void search();
  });
  document.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLSelectElement && target.id === "sort") void showList(target);
  });
}

/** Opens the dialog of a preview, whose script is loaded on demand. */
async function showPreview(link: HTMLElement): Promise<void> {
  const { showListedFile } = await import("../viewer/listed-file.ts");
  await showListedFile(link, addMore);
}

/** Requests another part of the list, by the URL of a link or by the form with the token. */
async function load(source: HTMLElement | { readonly search: string }): Promise<Document> {
  const form = source instanceof HTMLSelectElement ? source.form : document.getElementById("go");
  if (!(form instanceof HTMLFormElement)) throw new Error("no form");
  const url = urlOf(source, form);
  const fields: Record<string, string> = source instanceof HTMLButtonElement ? { go: source.value } : {};
  const response = await (url === undefined ? send(form, fields) : fetch(url, { headers: { Accept: "text/html" } }));
  if (!response.ok) throw new Error(`status ${response.status}`);
  return parsePage(await response.text());
}

/** Returns the URL of a part of the list; undefined if a code unlocked the page. */
function urlOf(source: HTMLElement | { readonly search: string }, form: HTMLFormElement): string | undefined {
  if (source instanceof HTMLAnchorElement) return source.href;
  if (form.method === "post") return undefined;
  const query = new URLSearchParams(
    [...new FormData(form)].map(([name, field]) => [name, String(field)]).filter(([, field]) => field !== ""),
  );
  return query.size === 0 ? form.action : `${form.action}?${query}`;
}

let adding: Promise<boolean> | undefined;

/** Adds the next part of the list below an open dialog. Resolves to false without one, and if it cannot be loaded now. */
function addMore(): Promise<boolean> {
  adding ??= tryAddMore().finally(() => {
    adding = undefined;
  });
  return adding;
}

async function tryAddMore(): Promise<boolean> {
  const go = document.querySelector<HTMLElement>("#listing .pages [data-go=add]");
  const page = go && (await load(go).catch(() => undefined));
  if (page) showEntries(go, page);
  return Boolean(page);
}

async function addEntries(go: HTMLElement): Promise<void> {
  const page = await tryLoad(go);
  if (page) showEntries(go, page);
}

function showEntries(go: HTMLElement, page: Document): void {
  const next = page.getElementById("entries");
  if (!next) return;
  const folder = go.closest<HTMLDetailsElement>("details[data-folder]");
  if (folder) {
    fillFolder(folder, go, page);
    return;
  }
  const entries = document.getElementById("entries");
  const [first] = next.children;
  const count = next.children.length;
  void followThumbnails(page, first ?? null, () => load(go));
  entries?.append(...next.children);
  const pages = findList()?.querySelector(".pages");
  const nextPages = page.querySelector("#listing .pages");
  const following = nextPages?.querySelector("[data-go=add]");
  pages?.querySelector("[data-go=add]")?.replaceWith(...(following ? [following] : []));
  finish();
  announce(texts.loaded(count));
  first?.querySelector<HTMLElement>("button, input, summary")?.focus({ preventScroll: true });
}

async function loadFolder(folder: HTMLDetailsElement): Promise<void> {
  const go = folder.querySelector<HTMLElement>(":scope > .open-folder > [data-go]");
  if (!go || folder.querySelector(":scope > .entries")) return;
  const page = await tryLoad(go);
  if (page) fillFolder(folder, go, page);
}

/** Replaces the link of a folder by its first entries, with a link to the other entries. */
function fillFolder(folder: HTMLDetailsElement, go: HTMLElement, page: Document): void {
  const entries = page.getElementById("entries");
  if (!entries) return;
  entries.removeAttribute("id");
  void followThumbnails(page, entries.firstElementChild, () => load(go));
  const place = folder.querySelector(":scope > .open-folder");
  const known = folder.querySelector(":scope > .entries");
  const rest = page.querySelector<HTMLElement>("#listing .pages [data-go=add]");
  if (known) known.append(...entries.children);
  else place?.before(entries);
  if (rest) place?.replaceChildren(rest);
  else place?.remove();
  finish();
}

/** Shows another list without a page load, and changes the URL. */
async function showList(source: HTMLElement | { readonly search: string }): Promise<void> {
  const page = await tryLoad(source);
  const next = page?.getElementById("listing");
  const main = getMain();
  if (!page || !next || !main) return;
  const field = document.getElementById("search");
  const isTyping = field instanceof HTMLInputElement && document.activeElement === field;
  const typed = isTyping ? field.value : undefined;
  findList()?.replaceWith(document.adoptNode(next));
  for (const id of ["go", "order"]) {
    const nextForm = page.getElementById(id);
    if (nextForm) document.getElementById(id)?.replaceWith(document.adoptNode(nextForm));
  }
  const { url, refreshUrl } = next.dataset;
  if (refreshUrl === undefined) delete main.dataset.refreshUrl;
  else main.dataset.refreshUrl = refreshUrl;
  if (url !== undefined) history.replaceState(history.state, "", url + location.hash);
  const again = main.querySelector("form[data-again]");
  const nextAgain = page.querySelector("form[data-again]");
  if (again && nextAgain) again.replaceWith(document.adoptNode(nextAgain));
  finish();
  const target = isTyping
    ? document.getElementById("search")
    : (next.querySelector<HTMLElement>(source instanceof HTMLSelectElement ? "#sort" : ".found [data-go]") ?? next);
  if (isTyping && target instanceof HTMLInputElement) target.value = typed ?? "";
  target?.focus({ preventScroll: true });
  const found = next.querySelector("[data-found]")?.firstChild?.textContent;
  if (found) announce(found);
}

async function search(): Promise<void> {
  const field = document.getElementById("search");
  if (document.querySelector("#entries button[data-bytes]")) {
    const { hasOwnNames, searchOwnNames } = await import("../decrypt/own-search.ts");
    if (hasOwnNames()) return await searchOwnNames(addMore);
  }
  await showList({ search: field instanceof HTMLInputElement ? field.value : "" });
}

let latest: object | undefined;

/** Loads a part of the list; undefined if it failed, or another request was made meanwhile. */
async function tryLoad(source: HTMLElement | { readonly search: string }): Promise<Document | undefined> {
  latest = source;
  const list = findList();
  list?.setAttribute("aria-busy", "true");
  try {
    const page = await load(source);
    return source instanceof HTMLElement || latest === source ? page : undefined;
  } catch {
    announce(texts.failed);
    // After a failure, the link or the button is used as without the script.
    if (source instanceof HTMLAnchorElement) location.assign(source.href);
    return undefined;
  } finally {
    list?.removeAttribute("aria-busy");
  }
}

function finish(): void {
  enhanceMain();
  improveList();
  document.dispatchEvent(new Event("filehost:listed"));
}
