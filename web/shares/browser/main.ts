/** Edits an account's shares in the list, and closes and extends them, with undo. Without this script, pages and forms do the same. */

import { sending as copyTexts } from "#texts/sending";
import { shares as texts } from "#texts/shares";
import { errors } from "#texts/site";
import { hasBuyers } from "../../site/browser/api.ts";
import { copyText } from "../../site/browser/components/copy-button.tsx";
import { language } from "../../site/browser/components/format.ts";
import { mountToasts, TOAST_QUESTION_MS } from "../../site/browser/components/toasts.tsx";
import { createUndo } from "../../site/browser/components/undoable.ts";
import { mayKnowShares } from "../../site/browser/device/may-know-shares.ts";
import { enhanceMain, parsePage } from "../../site/browser/page/main-element.ts";
import { formatRelative } from "../../site/format.ts";
import { changeExpiry, closeShare, removeShare } from "./calls.ts";

const show = mountToasts(document.getElementById("toasts") ?? document.body, texts.title);
const offerUndo = createUndo(show);
const toProblem = (error: unknown) => ({ text: error instanceof Error ? error.message : String(error), isProblem: true });
const showProblem = (error: unknown): void => void show(toProblem(error));
/** Shows an error. If buyers would lose what they paid for, offers to `force` the action. */
function fail(error: unknown, force: () => void): void {
  const action = {
    label: errors.nevertheless,
    run() {
      hide();
      force();
    },
  };
  const question = hasBuyers(error) && { actions: [action], ms: TOAST_QUESTION_MS };
  const hide = show({ ...toProblem(error), ...question });
}

const rowOf = (element: Element): HTMLElement | null => element.closest<HTMLElement>("[data-share]");
const nameOf = (row: HTMLElement): string => row.querySelector(".name")?.textContent ?? "";

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const item = target?.closest<HTMLElement>("[data-close], [data-edit], [data-give]");
  const row = item && rowOf(item);
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  focusMenu(row);
  if (item.dataset.close !== undefined) close(row);
  else if (item.dataset.give !== undefined) void give(row);
  else void edit(row);
});

/** Closes the menu of a row, and gives its button the focus. */
function focusMenu(row: HTMLElement | null): void {
  const menu = row?.querySelector<HTMLDetailsElement>("details.menu-opener");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary")?.focus({ preventScroll: true });
}

/** Returns what the list shows of a share. */
function readShare(row: HTMLElement) {
  const { share: shortId = "" } = row.dataset;
  return { shortId, name: nameOf(row), shareUrl: document.getElementById(`link-${shortId}`)?.textContent ?? "" };
}

/** Gives the menu of a row the focus, also if the row was replaced. */
const focusRow = (shortId: string): void => focusMenu(document.getElementById(`share-${shortId}`));

/** Shows the settings of a share in a dialog. */
async function edit(row: HTMLElement): Promise<void> {
  const share = readShare(row);
  const { showSettings } = await import("./share-dialogs.tsx");
  await showSettings(share, { onChanged: () => refreshRow(share.shortId), onClose: () => focusRow(share.shortId) });
}

/** Shows the link of a share in a dialog, with the ways to give it to others. */
async function give(row: HTMLElement): Promise<void> {
  const share = readShare(row);
  const { showLink } = await import("./share-dialogs.tsx");
  showLink(share, () => {
    focusRow(share.shortId);
    void refreshRow(share.shortId);
  });
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const row = form instanceof HTMLFormElement && form.dataset.extend !== undefined ? rowOf(form) : null;
  if (!row || !(event.submitter instanceof HTMLButtonElement) || !(form instanceof HTMLFormElement)) return;
  event.preventDefault();
  void extend(row, { days: event.submitter.value, expiresAt: form.dataset.extend ?? "" });
});

document.addEventListener("submit", (event) => {
  const form = event.target instanceof HTMLFormElement ? event.target : null;
  const { again, remove } = form?.dataset ?? {};
  if (!form || (again === undefined && remove === undefined)) return;
  const row = rowOf(form);
  focusMenu(row);
  if (again !== undefined) {
    event.preventDefault();
    void openAgain(form);
  } else if (row) {
    event.preventDefault();
    removeFromList(row);
  }
});

/** Shares the ended share of a form again, and opens its page. Until then, the button of the form does nothing. */
async function openAgain(form: HTMLFormElement): Promise<void> {
  const button = form.querySelector("button");
  if (button?.ariaBusy === "true") return;
  if (button) button.ariaBusy = "true";
  try {
    const { shareAgain } = await import("./share-again.ts");
    location.assign(await shareAgain(form));
  } catch (error) {
    showProblem(error);
  } finally {
    if (button) button.ariaBusy = null;
  }
}

/** Hides the row, and removes the share from the list when that can no longer be undone. */
function removeFromList(row: HTMLElement): void {
  const { share: shortId = "" } = row.dataset;
  const restore = (): void => {
    row.hidden = false;
    focusMenu(row);
  };
  row.hidden = true;
  offerUndo({
    text: texts.removing(nameOf(row)),
    subjects: [shortId],
    undo: texts.undo,
    isFocused: true,
    onUndo() {
      restore();
      show({ text: texts.notRemoved });
    },
    onCommit: () =>
      void removeShare(shortId).then(
        () => {
          dropRow(row);
        },
        (error: unknown) => {
          restore();
          showProblem(error);
        },
      ),
  });
}

/** Hides the row, and closes the share when closing can no longer be undone. */
function close(row: HTMLElement): void {
  const { share: shortId = "", otherLinks = "0", recipient, otherRecipients = "0" } = row.dataset;
  row.hidden = true;
  const restore = (): void => {
    row.hidden = false;
    focusMenu(row);
  };
  offerUndo({
    text: [
      texts.closing(nameOf(row)),
      ...(recipient === undefined ? [] : [texts.theirLinksEnd(texts.recipients(recipient, Number(otherRecipients)))]),
      ...(otherLinks === "0" ? [] : [texts.linksStay(Number(otherLinks))]),
    ].join(" "),
    subjects: [shortId],
    undo: texts.undo,
    isFocused: true,
    onUndo() {
      restore();
      show({ text: texts.undone });
    },
    onCommit: () => void commitClose(row, shortId, false),
  });
}

async function commitClose(row: HTMLElement, shortId: string, force: boolean): Promise<void> {
  row.hidden = true;
  try {
    await closeShare(shortId, force);
    dropRow(row);
  } catch (error) {
    row.hidden = false;
    fail(error, () => void commitClose(row, shortId, true));
  }
}

async function extend(row: HTMLElement, { days, expiresAt }: { readonly days: string; readonly expiresAt: string }): Promise<void> {
  const { share: shortId = "" } = row.dataset;
  const change = async (input: Parameters<typeof changeExpiry>[1]): Promise<string | null | undefined> => {
    try {
      const changed = await changeExpiry(shortId, input);
      await refreshRow(shortId);
      return changed;
    } catch (error) {
      fail(error, () => void change({ ...input, force: true }));
      return undefined;
    }
  };
  const until = await change({ extendTtl: `${days}d` });
  if (!until) return;
  offerUndo({
    text: texts.extendedTo(formatRelative(Date.parse(until), Date.now(), language)),
    subjects: [shortId],
    undo: texts.undo,
    isFocused: true,
    onUndo: () => void change({ expiresAt }),
  });
}

/** Replaces a row with its current state at the server, unless its menu was opened meanwhile. It keeps the focus. */
async function refreshRow(shortId: string): Promise<void> {
  const id = `share-${shortId}`;
  const wasOpen = hasOpenMenu(document.getElementById(id));
  await refresh((page) => {
    const next = page.getElementById(id);
    const row = document.getElementById(id);
    if (!row || (!wasOpen && hasOpenMenu(row))) return;
    const hadFocus = row.contains(document.activeElement);
    if (next) row.replaceWith(document.adoptNode(next));
    else row.remove();
    if (hadFocus) focusRow(shortId);
  });
}

const hasOpenMenu = (row: HTMLElement | null): boolean => row?.querySelector<HTMLDetailsElement>("details.menu-opener")?.open ?? false;

/** Replaces the list with its current state at the server. */
const refreshList = (): Promise<void> => refresh((page) => replace(page, "#share-list"));

/** Removes a row, and replaces the tabs, which have the numbers of shares. After the last row, another page of the list may have more. */
function dropRow(row: HTMLElement): void {
  row.remove();
  void refresh((page) => {
    replace(page, ".tabs");
    if (!document.querySelector("[data-share]")) replace(page, "#share-list");
  });
}

function replace(page: Document, selector: string): void {
  const next = page.querySelector(selector);
  if (next) document.querySelector(selector)?.replaceWith(document.adoptNode(next));
}

/** Reads the page again, and takes a part of it. */
async function refresh(take: (page: Document) => void): Promise<void> {
  const response = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" }).catch(() => undefined);
  if (!response?.ok) return;
  take(parsePage(await response.text()));
  enhanceMain();
  document.dispatchEvent(new Event("filehost:listed"));
}

/** The time for which the page says that a link was copied without its key. */
const KEY_MISSING_MS = 12_000;
/** Ends when the keys that this device knows are in the links of the list. */
let keysAdded = Promise.resolve();

// A link without its key is copied with one message that says so, in place of the success that the button of any other link shows.
document.addEventListener(
  "click",
  (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>("[data-sealed] button[data-copy]") : null;
    if (!button) return;
    event.stopPropagation();
    void copySealed(button);
  },
  { capture: true },
);

async function copySealed(button: HTMLButtonElement): Promise<void> {
  await keysAdded;
  if (!button.closest("[data-sealed]")) return button.click();
  const isCopied = await copyText(document.getElementById(button.dataset.copy ?? "")?.textContent ?? "");
  show(isCopied ? { text: texts.keyMissing, ms: KEY_MISSING_MS } : { text: copyTexts.copyFailed, isProblem: true });
}

if (await mayKnowShares()) {
  const { addKeys } = await import("./add-keys.ts");
  keysAdded = addKeys().catch(() => undefined);
  document.addEventListener("filehost:listed", () => void addKeys().catch(() => undefined));
  const { showClaimOffer } = await import("./claim.tsx");
  showClaimOffer(() => void refreshList());
}
