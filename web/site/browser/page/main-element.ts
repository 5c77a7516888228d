import { page as texts } from "#texts/site";
import type { Language } from "../../../texts/languages.ts";
import { formatDate, formatDuration } from "../../format.ts";
import { announce } from "../components/announce.ts";
import { getTimeZone } from "./time-zone.ts";

export const getMain = (): HTMLElement | null => document.getElementById("main");

export const parsePage = (html: string): Document => new DOMParser().parseFromString(html, "text/html");

/** The button of the last download, if it had the focus. */
let pressed: HTMLButtonElement | undefined;

export function setPressed(button: HTMLButtonElement | undefined): void {
  pressed = button;
}

interface ShowOptions {
  /** Whether the page is the response to a form, which is shown even if it is unchanged. */
  readonly isFormResponse?: boolean;
  /** Whether the page keeps its position when its content gets the focus. An automatic refresh must not scroll the page. */
  readonly keepsPosition?: boolean;
}

/** Replaces <main> with the <main> of another page of this site. Keeps the typed text, open sections, selection and focus. */
export function showPage(html: string, { isFormResponse = false, keepsPosition = !isFormResponse }: ShowOptions = {}): void {
  const page = parsePage(html);
  showUnread(page);
  const next = page.getElementById("main");
  const main = getMain();
  if (!next || !main) return;
  if (!isFormResponse && next.dataset.state === main.dataset.state) {
    showThumbnails(page);
    if (next.dataset.refresh === undefined) delete main.dataset.refresh;
    return;
  }
  if (next.dataset.state === "usedUp" && !isFormResponse && endDownloads(main)) return;
  // A button that was pressed and then disabled has lost the focus.
  const focused = document.activeElement === document.body && pressed?.isConnected ? pressed : document.activeElement;
  const hadFocus = main.contains(focused);
  keepEntries(main, next, isFormResponse);
  const target = isFormResponse ? next.querySelector<HTMLElement>("[autofocus]") : hadFocus && focused ? findSame(next, focused) : null;
  const left = main.querySelector("[data-left]")?.textContent;
  const nextLeft = next.querySelector("[data-left]");
  const isCounted = left && nextLeft?.textContent && nextLeft.textContent !== left && !isFormResponse;
  if (isCounted) next.querySelector("[data-started]")?.removeAttribute("hidden");
  target?.removeAttribute("autofocus");
  document.title = page.title;
  document.body.className = page.body.className;
  main.replaceWith(document.adoptNode(next));
  enhanceMain();
  target?.focus({ preventScroll: keepsPosition });
  if (isFormResponse && target instanceof HTMLInputElement) target.select();
  if ((hadFocus || isFormResponse) && document.activeElement !== target) next.focus({ preventScroll: keepsPosition });
  announce(isCounted ? (nextLeft.textContent ?? "") : (next.dataset.say ?? page.title));
  document.dispatchEvent(new Event("filehost:replaced"));
}

/** Shows the thumbnails that have been made meanwhile, which another page has. A thumbnail has the size of its tile. */
export function showThumbnails(page: Document): void {
  for (const thumbnail of page.querySelectorAll<HTMLElement>(".thumbnail")) {
    const id = thumbnail.closest("li")?.querySelector(".name")?.id;
    if (id) document.getElementById(id)?.closest("li")?.querySelector(".tile")?.replaceWith(document.adoptNode(thumbnail));
  }
}

/** Shows the number of unread notices of another page in the header. */
function showUnread(page: Document): void {
  const [bell, next] = [document.querySelector(".bell"), page.querySelector(".bell")];
  if (!bell || !next) return;
  bell.ariaLabel = next.ariaLabel;
  bell.replaceChildren(...next.childNodes);
}

/** Shows that this page's own download was the last one. Returns false if the page did not start one. */
function endDownloads(main: HTMLElement): boolean {
  const left = main.querySelector("[data-left]");
  if (!left) return false;
  main.querySelector("[data-started]")?.setAttribute("hidden", "");
  left.textContent = texts.started(texts.noneLeft);
  // The line above says it for all files.
  for (const rowLeft of main.querySelectorAll("[data-row-left]")) rowLeft.remove();
  main.dataset.state = "usedUp";
  for (const button of main.querySelectorAll("form[data-download] button, [data-as-stored]")) button.setAttribute("disabled", "");
  announce(left.textContent);
  return true;
}

/** Finds the element of the next page that corresponds to an element of this page. */
function findSame(next: HTMLElement, old: Element): HTMLElement | null {
  if (old.id) return next.querySelector(`#${CSS.escape(old.id)}`);
  const value = old.getAttribute("value") ?? old.closest("details")?.dataset.folder;
  return value === undefined || value === null
    ? null
    : next.querySelector(
        `button[value="${CSS.escape(value)}"], input[value="${CSS.escape(value)}"], [data-folder="${CSS.escape(value)}"] > summary`,
      );
}

function keepEntries(main: HTMLElement, next: HTMLElement, isFormResponse: boolean): void {
  for (const open of main.querySelectorAll<HTMLDetailsElement>("details[open]")) {
    const { folder } = open.dataset;
    const same =
      folder === undefined ? next.querySelector(`#${CSS.escape(open.id)}`) : next.querySelector(`[data-folder="${CSS.escape(folder)}"]`);
    same?.setAttribute("open", "");
  }
  // After a wrong code, it stays to be corrected.
  for (const selector of isFormResponse ? ["input.code"] : ["input.code", "#search"]) {
    const typed = main.querySelector<HTMLInputElement>(selector);
    const field = next.querySelector<HTMLInputElement>(selector);
    if (typed && field) field.value = typed.value;
  }
}

/** Shows elements that need scripts, and times in the reader's time zone. */
export function enhanceMain(): void {
  const reader = { language: document.documentElement.lang as Language, timeZone: getTimeZone() };
  for (const time of document.querySelectorAll("time")) time.textContent = formatDate(Date.parse(time.dateTime), reader);
  for (const button of document.querySelectorAll("[data-copy], [data-print]")) button.removeAttribute("hidden");
  readyAtMs = Date.now() + Number(getMain()?.dataset.wait ?? 0) * 1000;
  countDown();
}

let readyAtMs = 0;
let counting: ReturnType<typeof setTimeout> | undefined;

/** Returns the time when the wait before the downloads ends. */
export const getReadyAtMs = (): number => readyAtMs;

export function delayReady(untilMs: number): void {
  readyAtMs = Math.max(readyAtMs, untilMs);
}

/** Updates the remaining wait every second. */
function countDown(): void {
  clearTimeout(counting);
  const place = getMain()?.querySelector("[data-seconds]");
  const left = Math.ceil((readyAtMs - Date.now()) / 1000);
  if (!place || left < 0) return;
  place.textContent = formatDuration(left * 1000, document.documentElement.lang as Language);
  counting = setTimeout(countDown, 1000);
}
