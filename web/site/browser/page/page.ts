/**
 * Improves every page: copy buttons, times in the reader's time zone, downloads, and refreshes while a state can change. The server renders
 * everything; a refresh fetches the whole page and replaces <main>.
 */
import { enlargePhotos } from "../../../share/browser/viewer/enlarge-photos.ts";
import { watchDialogSteps } from "../components/dialog-step.ts";
import { addCopyButtons } from "./copy.ts";
import { registerSubmit } from "./double-submit.ts";
import { startDownload } from "./download.ts";
import { forgetOutcome } from "./forget-outcome.ts";
import { improveHeader } from "./header.ts";
import { explainInvalidFields } from "./invalid-fields.ts";
import { enhanceMain, getMain, showPage } from "./main-element.ts";
import { showOtherName } from "./other-name.ts";
import { addPrintButtons } from "./print.ts";
import { refresh, refreshWhileNeeded } from "./refresh.ts";
import { sendInPlace } from "./send.ts";
import { rememberTimeZone } from "./time-zone.ts";

addCopyButtons();
addPrintButtons();
watchDialogSteps();
enlargePhotos();
explainInvalidFields();
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  if (event.submitter?.dataset.decrypt !== undefined) return;
  if (form.dataset.once !== undefined && registerSubmit(form)) return event.preventDefault();
  if (form.dataset.download) startDownload(form, event.submitter);
  if (form.dataset.inPlace === undefined) return;
  event.preventDefault();
  void sendInPlace(form);
});
addEventListener("pageshow", (event) => {
  // The browser restored the page from its cache, so it may be old.
  if (event.persisted) void refresh().catch(() => undefined);
});
document.addEventListener("error", ({ target }) => explainFailedImage(target), { capture: true });
// The error may have occurred before this script ran.
for (const image of document.querySelectorAll<HTMLImageElement>("img[data-failed]"))
  void image.decode().catch(() => explainFailedImage(image));
document.addEventListener("filehost:shown", enhanceMain);
document.addEventListener("filehost:page", (event) => {
  if (event instanceof CustomEvent) showPage(event.detail, { isFormResponse: true, keepsPosition: true });
});

/** Shows a sentence in place of a preview image that failed to load, instead of the browser's symbol. */
function explainFailedImage(target: EventTarget | null): void {
  if (target instanceof HTMLImageElement && target.dataset.failed !== undefined)
    void import("./failed-preview.ts").then(({ explainFailure }) => explainFailure(target));
}

/** Scrolls the navigation of settings, which is one row on phones, so that the pages before and after the current one are visible. */
function centreCurrentPage(main: HTMLElement | null): void {
  const current = main?.querySelector(".settings-nav [aria-current]")?.getBoundingClientRect();
  const row = main?.querySelector(".settings-nav ul");
  const frame = row?.getBoundingClientRect();
  if (row && frame && current) row.scrollLeft += current.left + current.width / 2 - frame.left - frame.width / 2;
}

/** Whether it was reported that the page of a recipient was opened. */
let hasReported = false;

/** Improves the page after it was loaded, and after another page has replaced <main>. */
function start(): void {
  forgetOutcome();
  void refreshWhileNeeded();
  const main = getMain();
  centreCurrentPage(main);
  const { opened } = main?.dataset ?? {};
  if (opened !== undefined && !hasReported) {
    hasReported = true;
    void import("../../../recipients/browser/report-opened.ts").then(({ reportOpened }) => reportOpened(opened));
  }
  if (main?.querySelector("form[data-renew]")) void import("./player.ts").then(({ renewPlayer }) => renewPlayer(main));
  if (main?.querySelector("dialog")) void import("./dialogs.ts").then(({ improveDialogs }) => improveDialogs(main));
  if (main?.querySelector("form[data-unchanged]"))
    void import("./unchanged-forms.ts").then(({ watchUnchangedForms }) => watchUnchangedForms(main));
  if (main?.querySelector("[data-password]"))
    void import("../../../account/browser/show-password.ts").then(({ addPasswordButtons }) => addPasswordButtons(main));
  if (main?.querySelector("form[data-passkey]"))
    void import("../../../account/browser/passkey-forms.ts").then(({ improvePasskeyForms }) => improvePasskeyForms(main));
  if (main?.querySelector("[data-encrypted]"))
    void import("../../../share/browser/decrypt/decrypt-page.ts").then(({ improveDecryption }) => improveDecryption());
  const deviceShares = document.getElementById("device-shares");
  if (deviceShares)
    void import("../../../settings/browser/device-shares.tsx").then(({ showDeviceShares }) => showDeviceShares(deviceShares));
  if (document.getElementById("listing")) void import("../../../share/browser/list/list.ts").then(({ improveList }) => improveList());
}

document.addEventListener("filehost:replaced", start);
improveHeader();
rememberTimeZone();
showOtherName();
enhanceMain();
start();
if (location.pathname.startsWith("/d/"))
  void import("../../../share/browser/sender-bar/load.ts").then(({ loadSenderBar }) => loadSenderBar()).catch(() => undefined);
