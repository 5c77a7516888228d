/** The dialog that shows the preview of a file, and stays open while the recipient steps to other files. Photos fill the window. */

import { preview as texts } from "#texts/preview";
import { page as pageTexts } from "#texts/site";
import { enterDialogStep, leaveDialogStep } from "../../../site/browser/components/dialog-step.ts";
import { loadStyle } from "../../../site/browser/components/load-style.ts";
import { enhanceMain } from "../../../site/browser/page/main-element.ts";
import { renewPlayer } from "../../../site/browser/page/player.ts";
import { listenForSwipes } from "../../../site/browser/photo/swipes.ts";
import { createZoom, type Zoom } from "../../../site/browser/photo/zoom.ts";

/** The path of the dialog's style sheet, which is inserted when the scripts are bundled. */
declare const VIEWER_STYLE: string;

/** A file that the dialog can show. */
export interface ViewedFile {
  readonly id: string;
  readonly name: readonly Node[];
  readonly facts: string;
  /** The element that has the focus after the dialog was closed. */
  readonly opener: HTMLElement;
  /** Loads the element with the file's preview; undefined if it has none any more. The signal ends its loading when the file is not shown any more. */
  load(signal: AbortSignal): Promise<Element | undefined>;
  /** Returns the zoom of the loaded element; undefined if it has none. An element with a picture needs no function. */
  createZoom?(element: Element, onChange: (isOn: boolean) => void): Zoom | undefined;
  /** Starts the download of the file. Without it, the dialog has no button for it. */
  readonly download?: (() => void) | undefined;
  /** Leaves the page for one that says why the file has no preview any more. */
  leave(): void;
}

/** The time for which a preview that was loaded in advance is shown. Its URL is valid a little longer. */
const MAX_AGE_MS = 10 * 60_000;

/** The files to step through. */
export interface ViewedList {
  files(): readonly ViewedFile[];
  /** Adds the next part of a long list. Resolves to whether there was one. */
  addMore(): Promise<boolean>;
}

/** Opens the dialog with a file, unless one is open or opening, as after a double click. */
export async function openViewer(first: ViewedFile, list: ViewedList): Promise<void> {
  if (document.querySelector(".viewer")) return;
  let shown = first;
  let zoom: Zoom | undefined;
  let showing = new AbortController();
  let loadedAhead: { readonly id: string; readonly atMs: number; readonly element: Promise<Element | undefined> } | undefined;
  const title = create("h2", { className: "name" });
  const facts = create("span", { id: "viewer-facts" });
  const status = create("span", { role: "status" });
  const previous = toArrow(texts.previous, "previous", () => step(-1));
  const next = toArrow(texts.next, "next", () => step(1));
  const zoomButton = toButton(texts.zoomIn, () => zoom?.toggle());
  const download = toButton(texts.download, startDownload);
  download.className = "button";
  const preview = create("div", { className: "viewer-preview" });
  const heading = [title, create("p", { className: "quiet" }, facts, " ", status)];
  const dialog = toDialog(heading, preview, [previous, next, zoomButton, download]);
  document.body.append(dialog);
  dialog.addEventListener("close", () => {
    showing.abort();
    dialog.remove();
    leaveDialogStep();
    shown.opener.focus();
  });
  preview.addEventListener("filehost:preview", () => {
    offerZoom();
    // The button that was pressed is no longer there, and the dialog gets keys only while it has the focus.
    if (zoom) zoomButton.focus();
  });
  dialog.addEventListener("keydown", (event) => {
    // The page below, such as the list of an account's files, must not handle the keys of the dialog.
    event.stopPropagation();
    if (event.target instanceof HTMLMediaElement || event.ctrlKey || event.metaKey || event.altKey) return;
    if (zoom?.handleKey(event.key)) return event.preventDefault();
    const offset = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (offset !== undefined) step(offset);
  });
  listenForSwipes(preview, (offset) => {
    if (!zoom?.isOn()) step(offset);
  });
  await show(first);

  function step(offset: number): void {
    const all = list.files();
    const index = all.findIndex(({ id }) => id === shown.id);
    const target = index < 0 ? undefined : all[index + offset];
    if (target) void show(target, offset);
  }

  function startDownload(): void {
    shown.download?.();
    status.textContent = pageTexts.starting;
  }

  async function show(file: ViewedFile, offset = 1): Promise<void> {
    showing.abort();
    showing = new AbortController();
    const { signal } = showing;
    const ahead = loadedAhead?.id === file.id && performance.now() - loadedAhead.atMs < MAX_AGE_MS ? loadedAhead.element : undefined;
    const loaded = await (ahead ?? file.load(signal)).catch(() => undefined);
    if (signal.aborted) return;
    if (!loaded) {
      if (!dialog.open) dialog.remove();
      return file.leave();
    }
    shown = file;
    title.replaceChildren(...file.name.map((part) => part.cloneNode(true)));
    // Screen readers would read the parts of the name, which are boxes, as separate words.
    const name = title.textContent;
    dialog.ariaLabel = name;
    title.ariaLabel = name;
    status.textContent = "";
    showPosition();
    preview.replaceChildren(document.adoptNode(loaded));
    const picture = preview.querySelector<HTMLElement>(".picture");
    offerZoom();
    download.hidden = file.download === undefined;
    if (!dialog.open) {
      await loadStyle(VIEWER_STYLE);
      await enterDialogStep(() => dialog.close());
      dialog.showModal();
    }
    enhanceMain();
    renewPlayer(dialog);
    const all = list.files();
    const index = all.findIndex(({ id }) => id === file.id);
    const following = all[index + offset];
    if (picture && following) loadAhead(following);
    if (index >= all.length - 2) void list.addMore().then((hasMore) => hasMore && showPosition());
  }

  /** Makes the shown photo enlargeable. A large one is shown, and announced by an event, after its reader asked for it. */
  function offerZoom(): void {
    const picture = preview.querySelector<HTMLElement>(".picture");
    zoom = picture ? createZoom(picture, showZoom) : shown.createZoom?.(preview, showZoom);
    zoomButton.hidden = zoom === undefined;
    showZoom(false);
    dialog.classList.toggle("photo", picture !== null || preview.querySelector("iframe[data-kind=image]") !== null);
  }

  function showPosition(): void {
    const all = list.files();
    const index = all.findIndex(({ id }) => id === shown.id);
    facts.textContent = all.length > 1 ? `${shown.facts} · ${texts.position(index + 1, all.length)}` : shown.facts;
    previous.hidden = next.hidden = all.length < 2;
    previous.ariaDisabled = String(index <= 0);
    next.ariaDisabled = String(index < 0 || index === all.length - 1);
  }

  function showZoom(isOn: boolean): void {
    zoomButton.textContent = isOn ? texts.zoomOut : texts.zoomIn;
  }

  /** Loads the photo that the recipient probably sees next. */
  function loadAhead(file: ViewedFile): void {
    if (loadedAhead?.id === file.id) return;
    // It stays useful when another file is shown.
    const element = file.load(new AbortController().signal);
    loadedAhead = { id: file.id, atMs: performance.now(), element };
    void element.then(
      (loaded) => {
        const url = loaded?.querySelector(".picture img")?.getAttribute("src");
        if (url) new Image().src = url;
      },
      () => undefined,
    );
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

/** Makes a button with an arrow, which style sheets draw. */
function toArrow(label: string, direction: "previous" | "next", act: () => void): HTMLButtonElement {
  const button = toButton("", act);
  button.classList.add("arrow", direction);
  button.ariaLabel = button.title = label;
  return button;
}
