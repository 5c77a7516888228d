import type { Output } from "../../src/service/contract.ts";
import { toFolderName, visibleText } from "../site/format.ts";
import type { Texts } from "../texts/catalogue.ts";

/** A share in the lists of its owner, as `GET /shares` returns it. */
export type OwnShare = Output<"listShares">["data"][number];

export interface RowThumbnail {
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

/** What names a share. Public lists do not say whether it is in a folder or encrypted. */
type NamedShare = Pick<OwnShare, "title" | "name" | "files"> & Partial<Pick<OwnShare, "folder" | "encrypted">>;

/** The name that senders give to an encrypted file whose name they hide. */
const HIDDEN_NAME = /^encrypted-[0-9a-f]+(\.tar)?\.age$/;

/** Returns the title of a share, otherwise the name of its only file or folder, or the name of its first file and the number of others. */
export function toShareName({ title, name, files, folder, encrypted = false }: NamedShare, { shares }: Pick<Texts, "shares">): string {
  const visible = visibleText(title ?? "").trim();
  if (visible !== "") return visible;
  if (name === null) return shares.noFiles;
  if (encrypted && HIDDEN_NAME.test(name)) return files === 1 ? shares.encryptedFile : shares.encryptedFiles;
  if (files === 1) return name;
  return folder && !encrypted ? toFolderName(folder) : shares.andMore(name, files - 1);
}

const STATES = {
  uploading: "wait",
  scanning: "wait",
  blocked: "bad",
  active: "good",
  expired: "quiet",
  used_up: "quiet",
  taken_down: "bad",
} as const;

export type RowState = keyof typeof STATES;

/** Returns the state of a share in the list. */
export function toRowState({ state, uploading, scanStatus, files }: OwnShare): RowState {
  if (state !== "active") return state;
  if (uploading) return "uploading";
  if (scanStatus === "unavailable") return "blocked";
  return scanStatus === "clean" || files === 0 ? "active" : "scanning";
}

/** Whether the only file of a share is being uploaded. The share has no expiry yet, and the upload must end first. */
export const isUnfinished = ({ kind, uploading }: OwnShare): boolean => kind === "file" && uploading;

export const toneOfState = (state: RowState): (typeof STATES)[RowState] => STATES[state];
