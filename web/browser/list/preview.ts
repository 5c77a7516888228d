/** Opens the previews of a list's files in a dialog, with those of the files before and after. */
import { preview as texts } from "#texts/preview.ts";
import { improve, parsePage } from "../page/main.ts";
import { renewPlayer } from "../page/player.ts";
import { send } from "../page/send.ts";

const LINKS = "#listing [data-preview]";

/** Shows the preview of a link of the list. Follows the link if the preview cannot be loaded. */
export async function openPreview(link: HTMLElement): Promise<void> {
  const preview = await load(link).catch(() => undefined);
  if (!preview) {
    if (link instanceof HTMLAnchorElement) location.assign(link.href);
    return;
  }
  const dialog = document.createElement("dialog");
  dialog.className = "card viewer";
  dialog.addEventListener("close", () => {
    dialog.remove();
    link.focus();
  });
  const [previous, next] = neighbours(link);
  const heading = Object.assign(document.createElement("h2"), { id: "viewer-title", textContent: link.textContent });
  const close = toButton(texts.close, () => dialog.close());
  const bar = Object.assign(document.createElement("p"), { className: "choices" });
  bar.append(...[previous && toStep(texts.previous, previous), next && toStep(texts.next, next), close].filter((one) => one !== undefined));
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.append(heading, document.adoptNode(preview), bar);
  document.body.append(dialog);
  improve();
  renewPlayer(dialog);
  dialog.showModal();
  close.focus();

  function toStep(label: string, target: HTMLElement): HTMLButtonElement {
    return toButton(label, () => {
      dialog.close();
      void openPreview(target);
    });
  }
}

function toButton(label: string, act: () => void): HTMLButtonElement {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "button small", textContent: label });
  button.addEventListener("click", act);
  return button;
}

function neighbours(link: HTMLElement): [previous: HTMLElement | undefined, next: HTMLElement | undefined] {
  const links = [...document.querySelectorAll<HTMLElement>(LINKS)];
  const index = links.indexOf(link);
  return [links[index - 1], links[index + 1]];
}

/** The preview on the page of a link, or of the form of a button. */
async function load(link: HTMLElement): Promise<Element | undefined> {
  const response = await (link instanceof HTMLAnchorElement ? fetch(link.href, { headers: { Accept: "text/html" } }) : submit(link));
  return parsePage(await response.text()).getElementById("preview") ?? undefined;
}

function submit(button: HTMLElement): Promise<Response> {
  if (!(button instanceof HTMLButtonElement) || !button.form) throw new Error("no form");
  return send(button.form, { fileId: button.value }, button.formAction);
}
