/** The line that says how a decryption goes, with its progress and the button that cancels it. */
import { encryption as texts } from "#texts/share";
import { DecryptionError } from "../../../../src/transfer/encryption/decryption-error.ts";
import { announce } from "../../../site/browser/components/announce.ts";
import { showPage } from "../../../site/browser/page/main-element.ts";
import { terminalCommand } from "./known-key.ts";
import { DownloadRefused, TooLarge } from "./save-decrypted.ts";

/** The line, which stays when <main> is replaced. */
export const status = document.createElement("p");
status.id = "decryption-status";
status.hidden = true;

export function say(text: string, className = "quiet"): void {
  status.className = className;
  status.hidden = text === "";
  status.textContent = text;
  announce(text);
}

/** Says why a decryption has ended. */
export function explain(error: unknown, { aborted }: AbortSignal): void {
  if (aborted) say(texts.cancelled);
  else if (error instanceof DownloadRefused) {
    say("");
    showPage(error.html, { isFormResponse: true });
  } else if (error instanceof DOMException && error.name === "AbortError") say("");
  else if (error instanceof TooLarge) {
    say(texts.tooLarge);
    if (!document.getElementById("decryption-command")) status.after(createCommand());
  } else if (!(error instanceof DecryptionError)) say(error instanceof DOMException ? texts.notStored : texts.broken, "problem");
  // What is wrong with a key is said below its field.
  else if (error.problem === "wrongKey") say("");
  else say(texts[error.problem], "problem");
}

/** Creates the command that does the same in a terminal, with a button that copies it. */
function createCommand(): HTMLElement {
  const [box, code, button] = [document.createElement("div"), document.createElement("code"), document.createElement("button")];
  box.className = "copyable";
  Object.assign(code, { id: "decryption-command", textContent: terminalCommand(), tabIndex: 0 });
  Object.assign(button, { className: "button small", type: "button", textContent: texts.copy });
  button.dataset.copy = code.id;
  box.append(code, button);
  return box;
}

interface Progress {
  /** Shows a step, and its progress from 0 to 1, or undefined if it is unknown. Screen readers announce only the beginning of a step. */
  show(text: string, share?: number): void;
  /** Shows which file is being decrypted, which is not announced. */
  name(name: string): void;
}

export function createProgress(cancelling: AbortController): Progress {
  const [bar, cancel, file] = [document.createElement("progress"), document.createElement("button"), document.createElement("bdi")];
  bar.max = 1;
  Object.assign(cancel, { className: "button small", type: "button", textContent: texts.cancel });
  cancel.addEventListener("click", () => cancelling.abort());
  let shown = "";
  return {
    show(text, share) {
      if (text !== shown) {
        say(text);
        bar.setAttribute("aria-label", text);
        status.append(" ", file, " ", bar, " ", cancel);
        shown = text;
      }
      if (share === undefined) bar.removeAttribute("value");
      else bar.value = Math.min(1, share);
    },
    name(name) {
      file.textContent = name;
    },
  };
}
