import { page as texts } from "#texts/site";
import { announce } from "../components/announce.ts";
import { getMain, setPressed } from "./main-element.ts";
import { refresh } from "./refresh.ts";

const DOWNLOAD_PAUSE_MS = 4000;
/** The pauses between the refreshes after a limited download. */
const REFRESH_PAUSES_MS = [1000, 2000, 4000, 8000];

/** Announces a download that the browser starts, and prevents a second download by a double click. */
export function startDownload(form: HTMLFormElement, submitter: HTMLElement | null): void {
  if (submitter?.dataset.preview !== undefined) return;
  announce(texts.starting);
  if (!(submitter instanceof HTMLButtonElement)) return;
  setPressed(document.activeElement === submitter ? submitter : undefined);
  const isFree = form.dataset.download === "free";
  const buttons = isFree || submitter.dataset.all === undefined ? [submitter] : form.querySelectorAll("button");
  showStarted(submitter);
  // A second click would use another download. The ZIP counts as a download of every file in its form.
  setTimeout(() => {
    for (const button of buttons) button.disabled = true;
  });
  if (isFree) {
    setTimeout(() => {
      submitter.disabled = false;
    }, DOWNLOAD_PAUSE_MS);
  } else void refreshDownloadsLeft();
}

/** Says in place of the button's words that the download has started, for some seconds. */
function showStarted(button: HTMLButtonElement): void {
  if (button.matches(".get")) return;
  // The words stay in the button, hidden, because another script may change them meanwhile.
  const words = document.createElement("span");
  words.hidden = true;
  // The button keeps its width, so that nothing moves.
  button.style.minWidth = `${button.offsetWidth}px`;
  words.append(...button.childNodes);
  button.replaceChildren(words, texts.downloadStarted);
  setTimeout(() => button.replaceChildren(...words.childNodes), DOWNLOAD_PAUSE_MS);
}

/** Refreshes the page after a limited download, until the count has changed or the page is replaced. */
async function refreshDownloadsLeft(): Promise<void> {
  const main = getMain();
  for (const ms of REFRESH_PAUSES_MS) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    if (main !== getMain()) return;
    await refresh().catch(() => undefined);
  }
}
