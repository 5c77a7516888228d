/** The requests of a share's sender, with the secrets that this device remembers. */
import { senderBar as texts } from "#texts/share";
import { type ErrorJson, toSentence } from "../../../site/browser/upload/api.ts";

/** The settings of a share as `PATCH /files/share-settings` returns them (sharing, "Changing a share"). */
export interface ShareSettings {
  readonly title: string | null;
  readonly message: string | null;
  /** Null: never. */
  readonly expiresAt: string | null;
  readonly latestExpiresAt: string;
  readonly maxDownloads: number | null;
  /** Downloads of the file that has the most. */
  readonly downloads: number;
  readonly scanStatus: "pending" | "scanning" | "clean" | "unavailable";
  readonly uploading: boolean;
  readonly unlockRequired: boolean;
  readonly notify: boolean | null;
  /** New ones, if protection was enabled. */
  readonly unlockCode?: string;
  readonly handoffUrl?: string;
}

export interface SettingsChange {
  readonly title?: string | null;
  readonly message?: string | null;
  readonly expiresAt?: string;
  readonly maxDownloads?: number | null;
  readonly protect?: boolean;
  readonly notify?: boolean | null;
  /** Whether buyers lose what they paid for. */
  readonly force?: true;
}

/** The share expired, was used up or deleted; or belongs to an account, which is not signed in here. */
export type ShareEnd = "ended" | "claimed";

export class EndedError extends Error {
  readonly end: ShareEnd;

  constructor(end: ShareEnd) {
    super(texts.ends[end]);
    this.end = end;
  }
}

class SignedOutError extends Error {}

class SoldError extends Error {}

/** Whether the server refuses because buyers would lose what they paid for, which `force` allows (selling, "What buyers keep"). */
export const hasBuyers = (error: unknown): boolean => error instanceof SoldError;

interface Sender {
  readonly shortId: string;
  readonly claimToken?: string;
  readonly deletionToken?: string;
}

/** Changes the settings of a share, or returns them if no change is passed. Throws an `EndedError`, or an error whose message is a sentence. */
export async function changeSettings({ shortId, claimToken }: Sender, change: SettingsChange = {}): Promise<ShareSettings> {
  try {
    const { data } = await send<{ data: ShareSettings }>("PATCH", "/api/files/share-settings", { shortId, claimToken, ...change });
    return data;
  } catch (error) {
    // What an account sent is unknown to everybody else's session.
    const isOfOther = claimToken === undefined && (error instanceof SignedOutError || error instanceof EndedError);
    throw isOfOther ? new EndedError((await isShown(shortId)) ? "claimed" : "ended") : error;
  }
}

/** Whether everybody can open the share. */
async function isShown(shortId: string): Promise<boolean> {
  return await send("GET", `/api/files/share/${encodeURIComponent(shortId)}`).then(
    () => true,
    (error: unknown) => !(error instanceof EndedError),
  );
}

/** Whether the server says that the share is gone. */
export async function hasEnded(sender: Sender): Promise<boolean> {
  return await changeSettings(sender).then(
    () => false,
    (error: unknown) => error instanceof EndedError && error.end === "ended",
  );
}

/** Deletes the share and its files, also while the page is being left. One that has ended needs no deletion. */
export async function deleteShare({ shortId, deletionToken }: Sender, force = false): Promise<void> {
  const query = new URLSearchParams({ fileId: shortId, token: deletionToken ?? "", ...(force && { force: "true" }) });
  try {
    await send("DELETE", `/api/files/delete?${query}`);
  } catch (error) {
    if (!(error instanceof EndedError)) throw error;
  }
}

/** Deletes a share that has no stored file, also none that this device does not know to be stored. */
export async function deleteIfEmpty(sender: Sender): Promise<void> {
  try {
    const path = `/api/files/share/${encodeURIComponent(sender.shortId)}`;
    const { files } = await send<{ files?: readonly { readonly uploading: boolean }[] | null }>("GET", path);
    if (files?.every(({ uploading }) => uploading)) await deleteShare(sender);
  } catch (error) {
    if (!(error instanceof EndedError)) throw error;
  }
}

async function send<Answer>(method: string, path: string, json?: object): Promise<Answer> {
  const headers = { Accept: "application/json", ...(json && { "Content-Type": "application/json" }) };
  const body = json && JSON.stringify(json);
  const response = await fetch(path, { method, headers, body, keepalive: true }).catch(() => undefined);
  if (!response) throw new Error(texts.offline);
  const answer = (await response.json().catch(() => ({}))) as Answer & ErrorJson;
  if (response.ok) return answer;
  if (response.status === 401) throw new SignedOutError(toSentence(answer) ?? texts.failed);
  if (response.status === 404) throw new EndedError("ended");
  if (answer.errorCode === "HAS_BUYERS") throw new SoldError(toSentence(answer) ?? texts.failed);
  if (response.status === 409) throw new EndedError("claimed");
  throw new Error(toSentence(answer) ?? texts.failed);
}
