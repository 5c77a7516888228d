/** The key of the page: the one in the link, otherwise the entered one. Neither leaves this device: no request contains the fragment or the field. */
import { readFragmentKey, toFragment } from "../../../../src/transfer/encryption/fragment-key.ts";

/** The key in the link. It is read once, because a script that changes the list may replace the URL. */
export const linkKey = readFragmentKey(location.hash);
/** Whether the link has a key that is incomplete or has a mistake. */
export const hasBrokenKey = linkKey === undefined && /[#&]key=/.test(location.hash);
/** The fragment with the key alone. The author of the link chose the rest of the fragment, which must not get into a command that people copy. */
const keyFragment = linkKey === undefined ? "" : `#${toFragment(linkKey)}`;

/** The text in the field. It is kept when <main> is replaced, like the messages of a decryption. */
let entered = "";
/** The key that has opened a file. */
let fitting: string | undefined;
/** Whether the key in the link has opened none. */
let isLinkKeyRefused = false;

/** Returns the key; empty without one. A whole link that was pasted into the field counts as its key. An entered key replaces one that does not fit. */
export function getKey(): string {
  if (fitting !== undefined) return fitting;
  if (entered !== "") return readFragmentKey(entered.replace(/^[^#]*/, "")) ?? entered;
  return isLinkKeyRefused ? "" : (linkKey ?? "");
}

/** Whether a key must be entered. The key in the link is expected to fit. */
export const needsKey = (): boolean => fitting === undefined && (linkKey === undefined || isLinkKeyRefused);

export function acceptKey(key: string): void {
  fitting ??= key;
}

/** Lets another key be entered in place of one that fits other files. */
export function giveUpKey(key: string): void {
  if (fitting === key) fitting = undefined;
}

export function refuseKey(key: string): void {
  isLinkKeyRefused ||= key === linkKey;
}

export const findKeyField = (): HTMLInputElement | null => document.querySelector<HTMLInputElement>("#decryption-key");

/** Makes a field the one of the key, with the text that was entered before. */
export function keepEntered(field: HTMLInputElement): void {
  field.value = entered;
  field.addEventListener("input", () => {
    entered = field.value;
  });
}

/** The command that does the same in a terminal, with the quoted link, which cannot end the quotes. */
export const terminalCommand = (): string =>
  `filehost down '${`${location.origin}${location.pathname}`.replaceAll("'", "%27")}${keyFragment}'`;

for (const type of ["click", "auxclick", "contextmenu"])
  document.addEventListener(
    type,
    ({ target }) => addFragment(target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null),
    {
      capture: true,
    },
  );

/** Adds the key to a link to another list of the share's files. A link to the current URL gets none, because the key would prevent a reload. */
function addFragment(link: HTMLAnchorElement | null): void {
  if (link?.origin !== location.origin || link.pathname !== location.pathname || link.search === location.search) return;
  if (linkKey !== undefined && link.hash === "") link.hash = keyFragment;
}

/** Shows the command, and adds the key to the links to other languages. The QR code, which the server drew, lacks the key, and is removed. */
export function keepFragment(main: HTMLElement): void {
  const terminal = main.querySelector("#terminal");
  if (terminal) terminal.textContent = terminalCommand();
  if (linkKey === undefined) return;
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".foot a[hreflang]")) link.hash = keyFragment;
  main.querySelector("[data-qr]")?.remove();
}
