/** @jsxImportSource preact */
/** The bar above the page of a share that this device or the account has sent. It is kept when a script replaces <main>. */
import { render } from "preact";
import { loadStyle } from "../../../site/browser/components/load-style.ts";
import type { SentShare } from "../../../site/browser/device/shares.ts";
import { SenderBar, type SenderBarProps } from "./sender-bar.tsx";

/** The path of the bar's style sheet, which is inserted when the scripts are bundled. */
declare const SENDER_BAR_STYLE: string;

export async function showSenderBar(share: SentShare, { isJustSent, isEdited }: Omit<SenderBarProps, "sent">): Promise<void> {
  const place = document.getElementById("sent");
  if (!place) return;
  await loadStyle(SENDER_BAR_STYLE);
  place.className = isJustSent ? "sender-place just-sent" : "sender-place";
  render(<SenderBar sent={share} isJustSent={isJustSent} isEdited={isEdited} />, place);
}
