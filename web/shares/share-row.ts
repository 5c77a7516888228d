import type { Output } from "../../src/service/contract.ts";
import { hidesName } from "../../src/transfer/encryption/is-hidden-name.ts";
import { toFolderName, visibleText } from "../site/format.ts";
import type { Texts } from "../texts/catalogue.ts";

/** A share in the lists of its owner, as `GET /shares` returns it. */
export type OwnShare = Output<"listShares">["data"][number];

export interface RowThumbnail {
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

/** What names a share. Public lists do not say whether it is in a folder. */
type NamedShare = Pick<OwnShare, "title" | "name" | "files" | "encrypted"> & Partial<Pick<OwnShare, "folder">>;

/** Returns the title of a share, otherwise the name of its only file or folder, or the name of its first file and the number of others. */
export function toShareName({ title, name, files, folder, encrypted }: NamedShare, { shares }: Pick<Texts, "shares">): string {
  const visible = visibleText(title ?? "").trim();
  if (visible !== "") return visible;
  if (name === null) return shares.noFiles;
  return toFilesName({ name, files, encrypted, folder: encrypted ? null : folder }, shares);
}

/** What names files together. */
interface NamedFiles {
  /** The name of the first file. */
  readonly name: string;
  readonly files: number;
  /** Whether a file is encrypted. */
  readonly encrypted: boolean;
  /** The folder that all are in. */
  readonly folder?: string | null | undefined;
}

/** Returns the name of the only file, or of the folder that all files are in, or the name of the first file and the number of others. */
export function toFilesName({ name, files, encrypted, folder }: NamedFiles, texts: Texts["shares"]): string {
  if (hidesName({ name, encrypted })) return files === 1 ? texts.encryptedFile : texts.encryptedFiles;
  if (files === 1) return name;
  return folder ? toFolderName(folder) : texts.andMore(name, files - 1);
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
