/** Opens the previews of a list's files in a dialog, which stays open while the recipient steps through them. */

import { preview as texts } from "#texts/preview";
import { page as pageTexts } from "#texts/site";
import { enhanceMain, parsePage } from "../../../site/browser/page/main-element.ts";
import { renewPlayer } from "../../../site/browser/page/player.ts";
import { send } from "../../../site/browser/page/send.ts";

const links = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("#listing [data-preview]")];

/** Shows the preview of a link in the list, with buttons for the previous and the next file, and for the download. */
export async function showFilePreview(first: HTMLElement): Promise<void> {
  let shownId = first.dataset.preview;
  let latest: HTMLElement | undefined;
  const title = create("h2", { className: "name" });
  const facts = create("span", { id: "viewer-facts" });
  const status = create("span", { role: "status" });
  const previous = toButton(texts.previous, () => step(-1));
  const next = toButton(texts.next, () => step(1));
  const download = toButton(texts.download, startDownload);
  download.className = "button";
  const preview = create("div");
  const dialog = toDialog([title, create("p", { className: "quiet" }, facts, " ", status)], preview, [previous, next, download]);
  dialog.addEventListener("close", () => {
    dialog.remove();
    findShown()?.focus();
  });
  dialog.addEventListener("keydown", ({ key, target }) => {
    const offset = target instanceof HTMLMediaElement ? undefined : { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (offset !== undefined) step(offset);
  });
  await show(first);

  function findShown(): HTMLElement | undefined {
    return links().find(({ dataset }) => dataset.preview === shownId);
  }

  function step(offset: number): void {
    const all = links();
    const index = all.findIndex(({ dataset }) => dataset.preview === shownId);
    const target = index < 0 ? undefined : all[index + offset];
    if (target) void show(target);
  }

  function startDownload(): void {
    findShown()?.closest("li")?.querySelector<HTMLElement>(".get")?.click();
    status.textContent = pageTexts.starting;
  }

  async function show(link: HTMLElement): Promise<void> {
    latest = link;
    const loaded = await load(link).catch(() => undefined);
    if (latest !== link || (dialog.isConnected && !dialog.open)) return;
    if (!loaded) return follow(link);
    shownId = link.dataset.preview;
    const all = links();
    const index = all.findIndex(({ dataset }) => dataset.preview === shownId);
    title.replaceChildren(...[...link.childNodes].map((part) => part.cloneNode(true)));
    // Screen readers would read the parts of the link, which are boxes, as separate words.
    const name = link.textContent;
    dialog.ariaLabel = name;
    title.ariaLabel = name;
    const listed = link.closest("li")?.querySelector(".what .quiet")?.textContent ?? "";
    facts.textContent = `${listed} · ${texts.position(index + 1, all.length)}`;
    status.textContent = "";
    previous.ariaDisabled = String(index <= 0);
    next.ariaDisabled = String(index < 0 || index === all.length - 1);
    preview.replaceChildren(document.adoptNode(loaded));
    if (!dialog.isConnected) {
      document.body.append(dialog);
      dialog.showModal();
    }
    enhanceMain();
    renewPlayer(dialog);
  }
}

function toDialog(heading: readonly HTMLElement[], preview: HTMLElement, buttons: readonly HTMLElement[]): HTMLDialogElement {
  const dialog = create("dialog", { className: "card viewer" });
  const close = toButton(texts.close, () => dialog.close());
  dialog.setAttribute("aria-describedby", "viewer-facts");
  dialog.append(
    create("div", { className: "viewer-head" }, create("div", {}, ...heading), close),
    preview,
    create("p", { className: "choices" }, ...buttons),
  );
  return dialog;
}

function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

function toButton(label: string, act: () => void): HTMLButtonElement {
  const button = create("button", { type: "button", className: "button small" }, label);
  button.addEventListener("click", act);
  return button;
}

/** Follows the link of a file without a preview, such as a deleted one. Its page shows the reason. */
function follow(link: HTMLElement): void {
  if (link instanceof HTMLAnchorElement) location.assign(link.href);
  else if (link instanceof HTMLButtonElement) link.form?.requestSubmit(link);
}

/** Loads the preview from the page of a link, or of a button's form. */
async function load(link: HTMLElement): Promise<Element | undefined> {
  const response = await (link instanceof HTMLAnchorElement ? fetch(link.href, { headers: { Accept: "text/html" } }) : submit(link));
  return parsePage(await response.text()).getElementById("preview") ?? undefined;
}

function submit(button: HTMLElement): Promise<Response> {
  if (!(button instanceof HTMLButtonElement) || !button.form) throw new Error("no form");
  return send(button.form, { fileId: button.value }, button.formAction);
}
