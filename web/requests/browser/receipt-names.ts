/** Shows the names of the files on the receipt of an encrypted request, if this device has sent them. No request contains them. */
import { receive as texts } from "#texts/requests";
import { showLabel, showSize, showTile } from "../../share/browser/decrypt/decrypted-names.tsx";
import { orderRows } from "../../site/browser/components/order-rows.ts";
import { findSentNames } from "../../site/browser/device/sent-names.ts";

export async function showSentNames(receipt: HTMLElement): Promise<void> {
  const names = await findSentNames(receipt.dataset.submission ?? "");
  const rows = [...receipt.querySelectorAll<HTMLElement>("li[data-hidden-name]")];
  for (const row of rows) {
    const { hiddenName = "", size } = row.dataset;
    const file = names.get(hiddenName);
    if (!file) continue;
    const [tile, facts, label] = [
      row.querySelector(".tile"),
      row.querySelector(".what > .quiet")?.firstChild,
      row.querySelector(".unseen"),
    ];
    row.dataset.path = file.path;
    showLabel(row, file.path);
    if (tile) showTile(tile, file.path);
    if (facts) showSize(facts, Number(size), file.sizeBytes);
    if (label) label.textContent = ` ${file.path}`;
  }
  if (rows.some(({ dataset }) => dataset.path === undefined)) return;
  orderRows(rows.map((row) => ({ row, label: row.dataset.path ?? "" })));
  const note = document.getElementById("receipt-names");
  if (note) note.textContent = texts.namesKnown;
}
