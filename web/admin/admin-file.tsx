/** @jsxImportSource preact */
import type { AdminFileView } from "../../src/service/administration/files-contract.ts";
import { visibleText } from "../site/format.ts";
import type { PageContext } from "../site/page-context.ts";
import type { Texts } from "../texts/catalogue.ts";
import { type AccountView, Unverified } from "./account-address.tsx";
import { userPath } from "./paths.ts";

type StateName = keyof Texts["moderation"]["states"];

const TONES: Readonly<Record<StateName, string>> = {
  ready: "good",
  waiting: "wait",
  uploading: "wait",
  blocked: "bad",
  taken_down: "bad",
  expired: "note",
  used_up: "note",
  deleted: "note",
};

function stateOf({ status, isUsedUp, isUploading, scanStatus }: AdminFileView): StateName {
  if (isUsedUp) return "used_up";
  if (status !== "active") return status === "dmca_removed" ? "taken_down" : status;
  if (isUploading) return "uploading";
  return scanStatus === "clean" ? "ready" : scanStatus === "unavailable" ? "blocked" : "waiting";
}

export interface FileState {
  readonly tone: string;
  /** The state, or for a blocked file the reason. */
  readonly text: string;
}

/** Returns the state of a file in one line of a list; undefined if it can be downloaded. */
export function toFileState({ moderation }: Texts, file: AdminFileView): FileState | undefined {
  const state = stateOf(file);
  if (state === "ready") return undefined;
  return { tone: TONES[state], text: state === "blocked" ? whyBlocked(moderation, file) : moderation.states[state] };
}

function whyBlocked({ blockedBy }: Texts["moderation"], { isBlocklisted, failureReason, scanDetail }: AdminFileView): string {
  if (isBlocklisted) return blockedBy.blocklist;
  const reason = blockedBy[failureReason ?? "scan_failed"];
  return failureReason === "infected" && scanDetail !== null ? `${reason}: ${visibleText(scanDetail)}` : reason;
}

/** Renders the state of a file: whether it can be downloaded, and otherwise the reason. */
export function FileStateTag({ texts, file }: { readonly texts: Texts; readonly file: AdminFileView }) {
  const state = stateOf(file);
  return (
    <>
      <span class={`tag ${TONES[state]}`}>{texts.moderation.states[state]}</span>
      {state === "blocked" ? <span class="quiet block">{whyBlocked(texts.moderation, file)}</span> : null}
    </>
  );
}

/** Renders the owner's account, as a link to its page. */
export function Owner({ page, owner }: { readonly page: PageContext; readonly owner: AccountView | null }) {
  const { texts } = page;
  if (owner === null) return <span class="quiet">{texts.moderation.nobody}</span>;
  return owner.email === null ? (
    <span class="quiet">{texts.moderation.deletedOwner}</span>
  ) : (
    <>
      <a href={userPath(owner.id)}>
        <bdi>{owner.email}</bdi>
      </a>
      <Unverified page={page} account={owner} />
    </>
  );
}
