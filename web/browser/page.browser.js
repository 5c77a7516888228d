/**
 * What every page gains with JavaScript: buttons that copy, times in the reader's own zone, and a page that looks again while it waits.
 * The server's page stays the one definition of what is shown: what changes is fetched as a whole page, and its <main> put in place.
 */

const FIRST_DELAY_MS = 2000;
const LONGEST_DELAY_MS = 15_000;
const DOWNLOAD_PAUSE_MS = 4000;
/** The work that is asked for may rise while it is done. */
const MOST_WORK_TRIES = 6;
/** When to look how many downloads are left, after one has been asked for; each from the one before. */
const LOOKS_MS = [1000, 2000, 4000, 8000];

const getMain = () => document.getElementById("main");

/** @param {string} text Read out by screen readers. */
function announce(text) {
  const announcer = document.getElementById("announcer");
  if (announcer) announcer.textContent = text;
}

/**
 * Puts the <main> of another page in place; what is typed, opened and focused there stays so.
 * @param {string} html A whole page of this site. @param {boolean} [isAnswer] To what was just sent: shown even if it looks the same.
 */
function showPage(html, isAnswer) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const next = page.getElementById("main");
  const main = getMain();
  if (!next || !main || (!isAnswer && next.dataset.state === main.dataset.state)) return;
  const left = main.querySelector("[data-left]");
  if (left && next.dataset.state === "usedUp" && !isAnswer) {
    // It was this page's download that was the last.
    left.textContent = "Your download has started. No downloads left.";
    main.dataset.state = "usedUp";
    for (const button of main.querySelectorAll("form[data-download] button")) button.setAttribute("disabled", "");
    return announce(left.textContent);
  }
  // A button that was pressed and disabled has lost the focus to the page.
  const focused = document.activeElement === document.body && pressed?.isConnected ? pressed : document.activeElement;
  const hadFocus = main.contains(focused);
  /** @param {Element} old @returns {HTMLElement | null} */
  const sameAs = (old) => next.querySelector(old.id ? `#${CSS.escape(old.id)}` : `button[value="${old.getAttribute("value")}"]`);
  for (const open of main.querySelectorAll("details[open]")) sameAs(open)?.setAttribute("open", "");
  /** @type {(HTMLInputElement | null)[]} */
  const [typed, code] = [main, next].map((one) => one.querySelector("input.code"));
  if (typed && code && !isAnswer) code.value = typed.value;
  /** @type {HTMLElement | null} */
  const target = isAnswer ? next.querySelector("[autofocus]") : hadFocus && focused ? sameAs(focused) : null;
  const nextLeft = next.querySelector("[data-left]")?.textContent;
  const isCounted = left && nextLeft && nextLeft !== left.textContent && !isAnswer;
  target?.removeAttribute("autofocus");
  document.title = page.title;
  main.replaceWith(document.adoptNode(next));
  improve();
  // What the page shows anew by itself does not scroll it.
  target?.focus({ preventScroll: !isAnswer });
  if ((hadFocus || isAnswer) && document.activeElement !== target) next.focus({ preventScroll: !isAnswer });
  announce(isCounted ? nextLeft : (next.dataset.say ?? page.title));
  void keepFresh();
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

/** Shows what is left of the wait, each second. */
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
    // Without HTTPS there is no clipboard interface: select the text, so that at least Ctrl+C works.
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
  announce(copied ? "Copied" : "Selected: press Ctrl and C to copy");
  setTimeout(() => {
    label.textContent = button.dataset.label ?? "";
  }, 2000);
}

/** The button of the download that was asked for last, where the focus was on it. @type {HTMLButtonElement | undefined} */
let pressed;

/** @param {HTMLFormElement} form @param {HTMLElement | null} submitter */
function startDownload(form, submitter) {
  announce("Your download is starting.");
  if (!(submitter instanceof HTMLButtonElement)) return;
  pressed = document.activeElement === submitter ? submitter : undefined;
  const isFree = form.dataset.download === "free";
  const buttons = isFree || submitter.dataset.all === undefined ? [submitter] : form.querySelectorAll("button");
  // A second press of a limited download would use up another one; the archive takes every file of its form.
  setTimeout(() => {
    for (const button of buttons) button.disabled = true;
  });
  if (isFree) {
    setTimeout(() => {
      submitter.disabled = false;
    }, DOWNLOAD_PAUSE_MS);
  } else void showWhatIsLeft();
}

/** The server counts a limited download when it is asked for, and the page stays: looks until the count has changed. */
async function showWhatIsLeft() {
  const main = getMain();
  for (const ms of LOOKS_MS) {
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

/** Sends the form, and again with the work that the answer asks for. @param {HTMLFormElement} form @returns {Promise<string>} A page. */
async function sendWithWork(form) {
  let { challenge, difficulty } = form.dataset;
  let html = "";
  for (let tries = 0; tries < MOST_WORK_TRIES; tries += 1) {
    const proof = challenge && difficulty ? await proofFor(form, challenge, Number(difficulty)) : {};
    html = await (await send(form, proof)).text();
    const next = new DOMParser().parseFromString(html, "text/html").querySelector("form[data-challenge]");
    if (!(next instanceof HTMLFormElement)) break;
    ({ challenge, difficulty } = next.dataset);
  }
  return html;
}

/** @param {HTMLFormElement} form @param {string} challengeId @param {number} difficulty */
async function proofFor(form, challengeId, difficulty) {
  const button = form.querySelector("button");
  if (button) {
    button.disabled = true;
    button.textContent = "Checking…";
  }
  announce("Checking…");
  const { findNonce } = await import("./work.browser.js");
  return { challengeId, nonce: await findNonce(challengeId, difficulty) };
}

/** @param {HTMLFormElement} form */
async function sendInPlace(form) {
  try {
    showPage(await sendWithWork(form), true);
  } catch {
    // The browser says best what is wrong with the connection.
    form.submit();
  }
}

/** Asks again as the page was asked for: of an unlocked one, with its token. */
async function refresh() {
  const main = getMain();
  const form = main?.querySelector("form[data-again]");
  const answer = await (form instanceof HTMLFormElement
    ? send(form)
    : fetch(main?.dataset.address ?? location.href, { headers: { Accept: "text/html" }, cache: "no-store" }));
  if (answer.status === 429 || answer.status >= 500) {
    const { retryAfterMs } = await import("./retry.browser.js");
    throw Object.assign(new Error(`status ${answer.status}`), { waitMs: retryAfterMs(answer.headers.get("Retry-After")) });
  }
  const html = await answer.text();
  // Meanwhile the code may have been entered: what was asked before then is older.
  if (main === getMain()) showPage(html);
}

/** When to ask again: while a check is under way, after `pollMs`; at the latest when the wait is over. @param {number} pollMs */
function nextDelayMs(pollMs) {
  const { refresh, wait } = getMain()?.dataset ?? {};
  const leftMs = wait === undefined ? Number.POSITIVE_INFINITY : Math.max(1000, readyAtMs - Date.now());
  return Math.min(refresh === undefined ? Number.POSITIVE_INFINITY : pollMs, leftMs);
}

/** Resolves at once while the page can be seen, else when it is looked at again. */
function whenVisible() {
  return new Promise((resolve) => {
    if (!document.hidden) return resolve(undefined);
    document.addEventListener("visibilitychange", resolve, { once: true });
  });
}

let isFresh = false;

async function keepFresh() {
  if (isFresh) return;
  isFresh = true;
  let delayMs = FIRST_DELAY_MS;
  for (let waitMs = nextDelayMs(delayMs); Number.isFinite(waitMs); waitMs = nextDelayMs(delayMs)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    await whenVisible();
    try {
      await refresh();
      delayMs = Math.min(delayMs * 1.4, LONGEST_DELAY_MS);
    } catch (error) {
      const waitMs = error instanceof Error && "waitMs" in error ? Number(error.waitMs ?? 0) : 0;
      delayMs = Math.max(LONGEST_DELAY_MS, waitMs);
      readyAtMs = Math.max(readyAtMs, Date.now() + delayMs);
    }
  }
  isFresh = false;
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
  // As it was left, which may be long ago.
  if (event.persisted) void refresh().catch(() => undefined);
});
document.addEventListener("filehost:shown", improve);
document.addEventListener("filehost:page", (event) => {
  if (event instanceof CustomEvent) showPage(event.detail, true);
});

improve();
void keepFresh();
