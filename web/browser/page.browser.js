/**
 * What every page gains with JavaScript: buttons that copy, times in the reader's own zone, and a page that looks again while it waits.
 * The server's page stays the one definition of what is shown: what changes is fetched as a whole page, and its <main> put in place.
 */

const FIRST_DELAY_MS = 2000;
const LONGEST_DELAY_MS = 15_000;
const DOWNLOAD_PAUSE_MS = 4000;

/** @param {string} text Read out by screen readers. */
function announce(text) {
  const announcer = document.getElementById("announcer");
  if (announcer) announcer.textContent = text;
}

/** @param {string} html A whole page of this site. */
function showPage(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const next = page.getElementById("main");
  const main = document.getElementById("main");
  if (!next || !main || next.dataset.state === main.dataset.state) return;
  const focused = main.contains(document.activeElement);
  document.title = page.title;
  main.replaceWith(document.adoptNode(next));
  improve();
  if (focused) next.focus();
  announce(next.dataset.say ?? page.title);
}

function improve() {
  for (const time of document.querySelectorAll("time")) {
    const moment = new Date(time.dateTime);
    time.textContent = moment.toLocaleString("en-GB", {
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
  const before = button.dataset.label ?? label?.textContent ?? "";
  button.dataset.label = before;
  if (label) label.textContent = copied ? "Copied" : "Selected";
  announce(copied ? "Copied" : "Selected: press Ctrl and C to copy");
  setTimeout(() => {
    if (label) label.textContent = before;
  }, 2000);
}

/** @param {HTMLFormElement} form */
function startDownload(form) {
  const button = form.querySelector("button");
  announce("Your download is starting.");
  if (!button) return;
  // A second press of a limited download would use up another one.
  setTimeout(() => {
    button.disabled = true;
  });
  if (form.dataset.download === "free") {
    setTimeout(() => {
      button.disabled = false;
    }, DOWNLOAD_PAUSE_MS);
  }
}

async function refresh() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
  if (answer.status === 429 || answer.status >= 500) throw new Error(`status ${answer.status}`);
  showPage(await answer.text());
}

const isWaiting = () => document.getElementById("main")?.dataset.refresh !== undefined;

/** Resolves at once while the page can be seen, else when it is looked at again. */
function whenVisible() {
  return new Promise((resolve) => {
    if (!document.hidden) return resolve(undefined);
    document.addEventListener("visibilitychange", resolve, { once: true });
  });
}

async function keepFresh() {
  let delayMs = FIRST_DELAY_MS;
  while (isWaiting()) {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await whenVisible();
    try {
      await refresh();
      delayMs = Math.min(delayMs * 1.4, LONGEST_DELAY_MS);
    } catch {
      delayMs = LONGEST_DELAY_MS;
    }
  }
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-copy]") : null;
  if (button instanceof HTMLButtonElement) void copyFrom(button);
});
document.addEventListener("submit", (event) => {
  if (event.target instanceof HTMLFormElement && event.target.dataset.download) startDownload(event.target);
});
document.addEventListener("filehost:page", (event) => {
  if (event instanceof CustomEvent) showPage(event.detail);
});

improve();
void keepFresh();
