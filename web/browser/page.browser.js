/**
 * Improves every page: copy buttons, times in the reader's time zone, and refreshes while a state can change. The server renders everything:
 * a refresh fetches the whole page and replaces <main>.
 */

import { layout as texts } from "#texts/layout.ts";
import { loadSenderBar } from "./sender-bar/load.ts";

const FIRST_DELAY_MS = 2000;
const MAX_DELAY_MS = 15_000;
const DOWNLOAD_PAUSE_MS = 4000;
/** The required difficulty may rise while a proof is computed. */
const MAX_PROOF_TRIES = 6;
/** Pauses between the refreshes after a limited download. */
const REFRESH_PAUSES_MS = [1000, 2000, 4000, 8000];

const getMain = () => document.getElementById("main");

/** @param {string} text For screen readers. */
function announce(text) {
  const announcer = document.getElementById("announcer");
  if (announcer) announcer.textContent = text;
}

/**
 * Replaces <main> with that of another page. Keeps the typed text, open sections and focus.
 * @param {string} html A page of this site. @param {boolean} [isFormResponse] Whether it responds to a form: then it is shown even if unchanged.
 */
function showPage(html, isFormResponse) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const next = page.getElementById("main");
  const main = getMain();
  if (!next || !main || (!isFormResponse && next.dataset.state === main.dataset.state)) return;
  const left = main.querySelector("[data-left]");
  if (left && next.dataset.state === "usedUp" && !isFormResponse) {
    // This page's own download was the last one.
    left.textContent = "Your download has started. No downloads left.";
    main.dataset.state = "usedUp";
    for (const button of main.querySelectorAll("form[data-download] button")) button.setAttribute("disabled", "");
    return announce(left.textContent);
  }
  // A button that was pressed and then disabled has lost the focus.
  const focused = document.activeElement === document.body && pressed?.isConnected ? pressed : document.activeElement;
  const hadFocus = main.contains(focused);
  /** @param {Element} old @returns {HTMLElement | null} */
  const sameAs = (old) => next.querySelector(old.id ? `#${CSS.escape(old.id)}` : `button[value="${old.getAttribute("value")}"]`);
  for (const open of main.querySelectorAll("details[open]")) sameAs(open)?.setAttribute("open", "");
  /** @type {(HTMLInputElement | null)[]} */
  const [typed, code] = [main, next].map((one) => one.querySelector("input.code"));
  if (typed && code && !isFormResponse) code.value = typed.value;
  /** @type {HTMLElement | null} */
  const target = isFormResponse ? next.querySelector("[autofocus]") : hadFocus && focused ? sameAs(focused) : null;
  const nextLeft = next.querySelector("[data-left]")?.textContent;
  const isCounted = left && nextLeft && nextLeft !== left.textContent && !isFormResponse;
  target?.removeAttribute("autofocus");
  document.title = page.title;
  main.replaceWith(document.adoptNode(next));
  improve();
  // An automatic refresh must not scroll the page.
  target?.focus({ preventScroll: !isFormResponse });
  if ((hadFocus || isFormResponse) && document.activeElement !== target) next.focus({ preventScroll: !isFormResponse });
  announce(isCounted ? nextLeft : (next.dataset.say ?? page.title));
  void refreshWhileNeeded();
}

function improve() {
  for (const time of document.querySelectorAll("time")) {
    time.textContent = new Date(time.dateTime).toLocaleString("en-GB", {
      day: "numeric",
      month: "long",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZoneName: "short",
    });
  }
  for (const button of document.querySelectorAll("[data-copy]")) button.removeAttribute("hidden");
  readyAtMs = Date.now() + Number(getMain()?.dataset.wait ?? 0) * 1000;
  countDown();
}

let readyAtMs = 0;
let counting = 0;

/** Updates the remaining wait every second. */
function countDown() {
  clearTimeout(counting);
  const place = getMain()?.querySelector("[data-seconds]");
  const left = Math.ceil((readyAtMs - Date.now()) / 1000);
  if (!place || left < 0) return;
  place.textContent = left === 1 ? "1 second" : `${left} seconds`;
  counting = setTimeout(countDown, 1000);
}

/** @param {HTMLElement} source @returns {Promise<boolean>} */
async function copyText(source) {
  try {
    await navigator.clipboard.writeText((source.textContent ?? "").trim());
    return true;
  } catch {
    // Without HTTPS there is no clipboard interface. Selects the text, so that Ctrl+C works.
    getSelection()?.selectAllChildren(source);
    return document.execCommand("copy");
  }
}

/** @param {HTMLButtonElement} button */
async function copyFrom(button) {
  const source = document.getElementById(button.dataset.copy ?? "");
  if (!source) return;
  const copied = await copyText(source);
  const label = button.firstChild;
  if (!label) return;
  button.dataset.label ??= label.textContent ?? "";
  label.textContent = copied ? "Copied" : "Selected";
  announce(copied ? "Copied" : "Selected. Press Ctrl and C to copy.");
  setTimeout(() => {
    label.textContent = button.dataset.label ?? "";
  }, 2000);
}

/** The button of the last download, if it had the focus. @type {HTMLButtonElement | undefined} */
let pressed;

/** @param {HTMLFormElement} form @param {HTMLElement | null} submitter */
function startDownload(form, submitter) {
  announce("Your download is starting.");
  if (!(submitter instanceof HTMLButtonElement)) return;
  pressed = document.activeElement === submitter ? submitter : undefined;
  const isFree = form.dataset.download === "free";
  const buttons = isFree || submitter.dataset.all === undefined ? [submitter] : form.querySelectorAll("button");
  // A second click would use up another download. The ZIP counts as a download of every file of its form.
  setTimeout(() => {
    for (const button of buttons) button.disabled = true;
  });
  if (isFree) {
    setTimeout(() => {
      submitter.disabled = false;
    }, DOWNLOAD_PAUSE_MS);
  } else void refreshDownloadsLeft();
}

/** Refreshes after a limited download, while the page remains, until the count has changed. */
async function refreshDownloadsLeft() {
  const main = getMain();
  for (const ms of REFRESH_PAUSES_MS) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    if (main !== getMain()) return;
    await refresh().catch(() => undefined);
  }
}

/** @param {HTMLFormElement} form @param {Record<string, string>} [proof] @returns {Promise<Response>} */
function send(form, proof = {}) {
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  for (const [name, value] of Object.entries(proof)) body.set(name, value);
  return fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" } });
}

/** Sends the form, again with a proof of work if the response requires one. @param {HTMLFormElement} form @returns {Promise<string>} A page. */
async function sendWithProof(form) {
  let { challenge, difficulty } = form.dataset;
  let html = "";
  for (let tries = 0; tries < MAX_PROOF_TRIES; tries += 1) {
    const proof = challenge && difficulty ? await computeProof(form, challenge, Number(difficulty)) : {};
    html = await (await send(form, proof)).text();
    const next = new DOMParser().parseFromString(html, "text/html").querySelector("form[data-challenge]");
    if (!(next instanceof HTMLFormElement)) break;
    ({ challenge, difficulty } = next.dataset);
  }
  return html;
}

/** @param {HTMLFormElement} form @param {string} challengeId @param {number} difficulty */
async function computeProof(form, challengeId, difficulty) {
  const button = form.querySelector("button");
  if (button) {
    button.disabled = true;
    button.textContent = "Checking…";
  }
  announce("Checking…");
  const { findNonce } = await import("./proof-of-work.browser.js");
  return { challengeId, nonce: await findNonce(challengeId, difficulty) };
}

/** @param {HTMLFormElement} form */
async function sendInPlace(form) {
  try {
    showPage(await sendWithProof(form), true);
  } catch {
    // The browser reports the connection's error.
    form.submit();
  }
}

/** Requests the page again, with its token if it is unlocked. */
async function refresh() {
  const main = getMain();
  const form = main?.querySelector("form[data-again]");
  const response = await (form instanceof HTMLFormElement
    ? send(form)
    : fetch(main?.dataset.refreshUrl ?? location.href, { headers: { Accept: "text/html" }, cache: "no-store" }));
  if (response.status === 429 || response.status >= 500) {
    const { retryAfterMs } = await import("./upload/failures.ts");
    throw Object.assign(new Error(`status ${response.status}`), { waitMs: retryAfterMs(response.headers.get("Retry-After")) });
  }
  const html = await response.text();
  // Ignores the response if a form has replaced <main> in the meantime.
  if (main === getMain()) showPage(html);
}

/** The time until the next refresh: `pollMs` while a state can change, at most the remaining wait; otherwise infinite. @param {number} pollMs */
function nextDelayMs(pollMs) {
  const { refresh, wait } = getMain()?.dataset ?? {};
  const leftMs = wait === undefined ? Number.POSITIVE_INFINITY : Math.max(1000, readyAtMs - Date.now());
  return Math.min(refresh === undefined ? Number.POSITIVE_INFINITY : pollMs, leftMs);
}

/** Resolves when the page is visible. */
function whenVisible() {
  return new Promise((resolve) => {
    if (!document.hidden) return resolve(undefined);
    document.addEventListener("visibilitychange", resolve, { once: true });
  });
}

let isRefreshing = false;

async function refreshWhileNeeded() {
  if (isRefreshing) return;
  isRefreshing = true;
  let delayMs = FIRST_DELAY_MS;
  for (let waitMs = nextDelayMs(delayMs); Number.isFinite(waitMs); waitMs = nextDelayMs(delayMs)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    await whenVisible();
    try {
      await refresh();
      delayMs = Math.min(delayMs * 1.4, MAX_DELAY_MS);
    } catch (error) {
      const waitMs = error instanceof Error && "waitMs" in error ? Number(error.waitMs ?? 0) : 0;
      delayMs = Math.max(MAX_DELAY_MS, waitMs);
      readyAtMs = Math.max(readyAtMs, Date.now() + delayMs);
    }
  }
  isRefreshing = false;
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-copy]") : null;
  if (button instanceof HTMLButtonElement) void copyFrom(button);
});
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  if (form.dataset.download) startDownload(form, event.submitter);
  if (form.dataset.inPlace === undefined) return;
  event.preventDefault();
  void sendInPlace(form);
});
addEventListener("pageshow", (event) => {
  // The browser restored the page from its cache, so it may be old.
  if (event.persisted) void refresh().catch(() => undefined);
});
document.addEventListener("filehost:shown", improve);
document.addEventListener("filehost:page", (event) => {
  if (event instanceof CustomEvent) showPage(event.detail, true);
});

/** Says that the site has another address than that of this page (pages, "Another name"). */
function showOtherName() {
  const { site = "", defaultSite } = document.body.dataset;
  const url = URL.parse(site);
  if (!url || url.origin === location.origin) return;
  // Without a configured URL, links work on the server's own machine, under all of its names.
  const isLocal = /^(localhost|127\..*|\[::1\])$/.test(location.hostname);
  if (defaultSite !== undefined && isLocal) return;
  const link = Object.assign(document.createElement("a"), {
    href: url.origin + location.pathname + location.search,
    textContent: site,
  });
  const banner = Object.assign(document.createElement("p"), { className: "banner" });
  banner.append(defaultSite === undefined ? texts.otherName : texts.noUrl, " ", link);
  getMain()?.before(banner);
}

showOtherName();
improve();
void refreshWhileNeeded();
void loadSenderBar().catch(() => undefined);
