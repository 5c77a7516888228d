/** @jsxImportSource preact */
import type { AdminFileView } from "../../src/service/administration/files-contract.ts";
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
  deleted: "note",
};

function stateOf({ status, isUploading, scanStatus }: AdminFileView): StateName {
  if (status !== "active") return status === "dmca_removed" ? "taken_down" : status;
  if (isUploading) return "uploading";
  return scanStatus === "clean" ? "ready" : scanStatus === "unavailable" ? "blocked" : "waiting";
}

/** Renders the state of a file: whether it can be downloaded, and otherwise the reason. */
export function FileStateTag({ texts, file }: { readonly texts: Texts; readonly file: AdminFileView }) {
  const { states, blockedBy } = texts.moderation;
  const state = stateOf(file);
  const why = state !== "blocked" ? null : file.isBlocklisted ? blockedBy.blocklist : blockedBy[file.failureReason ?? "scan_failed"];
  return (
    <>
      <span class={`tag ${TONES[state]}`}>{states[state]}</span>
      {why === null ? null : (
        <span class="quiet block">
          {why}
          {file.failureReason === "infected" && file.scanDetail !== null ? <bdi>: {file.scanDetail}</bdi> : null}
        </span>
      )}
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
