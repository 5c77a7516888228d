/** @jsxImportSource preact */
/** The dialogs of a share above the list: its settings, and its link. */
import { render } from "preact";
import { shares as texts } from "#texts/shares";
import { OwnSettings } from "../../share/browser/sender-bar/own-settings.tsx";
import type { ListedShare } from "../../share/browser/sender-bar/own-share.ts";
import { ShareSheet } from "../../share/browser/sender-bar/share-sheet.tsx";
import { Dialog } from "../../site/browser/components/dialog.tsx";
import { loadStyle } from "../../site/browser/components/load-style.ts";

/** The path of the style sheet of the sender's bar, which is inserted when the scripts are bundled. */
declare const SENDER_BAR_STYLE: string;

interface NamedShare extends ListedShare {
  readonly name: string;
}

interface DialogEvents {
  /** Shows the changed share in the list. */
  onChanged(): Promise<void>;
  /** Runs after the dialog is closed. */
  onClose(): void;
}

/** Opens the settings of a share of the account. */
export async function showSettings(share: NamedShare, { onChanged, onClose }: DialogEvents): Promise<void> {
  await loadStyle(SENDER_BAR_STYLE);
  const { place, close } = openPlace(onClose);
  render(
    <Dialog id="share-settings" title={texts.settingsOf(share.name)} closeLabel={texts.closeSettings} onClose={close}>
      <OwnSettings share={share} onChanged={onChanged} />
    </Dialog>,
    place,
  );
}

/** Opens the link of a share of the account, with the ways to give it to others. */
export function showLink(share: NamedShare, onClose: () => void): void {
  const { place, close } = openPlace(onClose);
  render(<ShareSheet share={share} title={texts.shareTitle(share.name)} onClose={close} />, place);
}

/** Returns a place for a dialog, and a function that removes it. */
function openPlace(onClose: () => void): { readonly place: HTMLElement; close(): void } {
  const place = document.body.appendChild(document.createElement("div"));
  return {
    place,
    close() {
      render(null, place);
      place.remove();
      // The dialog has returned the focus to an element that may have been replaced.
      queueMicrotask(onClose);
    },
  };
}
