import type { Output } from "../../src/service/contract.ts";
import type { Texts } from "../texts/catalogue.ts";

/** A share in the lists of its owner, as `GET /shares` returns it. */
export type OwnShare = Output<"listShares">["data"][number];

export interface RowThumbnail {
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

/** Returns the title of a share, otherwise the name of its first file and the number of other files. */
export function toShareName({ title, name, files }: Pick<OwnShare, "title" | "name" | "files">, { shares }: Pick<Texts, "shares">): string {
  if (title) return title;
  if (name === null) return shares.noFiles;
  return files > 1 ? shares.andMore(name, files - 1) : name;
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
