/** Adds what this device knows of encrypted shares to the list of an account: their keys, for "Copy link", and their names. */
import { shares as texts } from "#texts/shares";
import { commonFolder } from "../../../src/lib/text/relative-path.ts";
import { readFragmentKey } from "../../../src/transfer/encryption/fragment-key.ts";
import { findSentShare, withShareKey } from "../../site/browser/device/shares.ts";
import { fullName } from "../../site/format.ts";
import { toFilesName } from "../share-row.ts";

export async function addKeys(): Promise<void> {
  await Promise.all([...document.querySelectorAll<HTMLElement>("li[data-sealed]")].map(addKey));
}

async function addKey(row: HTMLElement): Promise<void> {
  const { share = "" } = row.dataset;
  const sent = await findSentShare(share);
  if (!sent || readFragmentKey(new URL(sent.shareUrl, location.href).hash) === undefined) return;
  const link = document.getElementById(`link-${share}`);
  if (link) link.textContent = withShareKey(sent, link.textContent ?? "");
  // Another device may have added files, whose names this one does not know.
  delete row.dataset.sealed;
  const page = row.querySelector<HTMLAnchorElement>(".name a");
  if (page) page.href = withShareKey(sent, page.href);
  const place = page ?? row.querySelector<HTMLElement>(".name");
  const [first] = sent.files;
  if (!place || !first || sent.title) return;
  const name = fullName(first.path.replace(/^.*\//, ""));
  const folder = commonFolder(sent.files.map(({ path }) => path));
  const shown = document.createElement("bdi");
  const [before, after] = [place.textContent ?? "", toFilesName({ name, files: sent.files.length, encrypted: false, folder }, texts)];
  shown.textContent = after;
  place.replaceChildren(shown);
  for (const label of row.querySelectorAll(".unseen, .menu-title"))
    label.textContent = (label.textContent ?? "").replace(before, () => after);
}
