/** The requests of a share's sender, with the secrets on this device. */
import { senderBar as texts } from "#texts/share";
import type { Input, OperationAt, OperationName, ResponseOf, RouteOf } from "../../../src/service/contract.ts";
import { type ApiInput, ApiRefusal, callApi } from "../../site/browser/api.ts";

/** The settings of a share (sharing, "Changing a share"). */
export type ShareSettings = ResponseOf<"updateShareSettings">["data"];
export type SettingsChange = Partial<Omit<Input<"updateShareSettings">, "fileId" | "shortId" | "claimToken">>;

/** The end of a share: it expired, was used up or deleted; or it belongs to an account that is not signed in here. */
export type ShareEnd = "ended" | "claimed";

export class EndedError extends Error {
  readonly end: ShareEnd;

  constructor(end: ShareEnd) {
    super(texts.ends[end]);
    this.end = end;
  }
}

interface Sender {
  readonly shortId: string;
  readonly claimToken?: string;
  readonly deletionToken?: string;
}

/** Changes the settings of a share, or returns them if no change is passed. Throws an `EndedError`, or an error whose message is a sentence. */
export async function changeSentShare({ shortId, claimToken }: Sender, change: SettingsChange = {}): Promise<ShareSettings> {
  try {
    return (await send("PATCH /files/share-settings", { shortId, claimToken, ...change })).data;
  } catch (error) {
    // The share of an account is unknown to other sessions.
    const isOfOther = claimToken === undefined && (isSignedOut(error) || error instanceof EndedError);
    throw isOfOther ? new EndedError((await isShown(shortId)) ? "claimed" : "ended") : error;
  }
}

/** Whether everybody can open the share. */
async function isShown(shortId: string): Promise<boolean> {
  return await send("GET /files/share/{shortId}", { shortId }).then(
    () => true,
    (error: unknown) => !(error instanceof EndedError),
  );
}

/** Whether the server reports the end of the share. */
export async function hasEnded(sender: Sender): Promise<boolean> {
  return await changeSentShare(sender).then(
    () => false,
    (error: unknown) => error instanceof EndedError && error.end === "ended",
  );
}

/** Deletes the share and its files, also while the page is being left. A share that has ended counts as deleted. */
export async function deleteShare({ shortId, deletionToken }: Sender, force = false): Promise<void> {
  try {
    await send("DELETE /files/delete", { fileId: shortId, token: deletionToken ?? "", ...(force && { force }) });
  } catch (error) {
    if (!(error instanceof EndedError)) throw error;
  }
}

/** Deletes a share without stored files. The server decides this, because it may have a file that this device does not know to be stored. */
export async function deleteIfEmpty(sender: Sender): Promise<void> {
  try {
    const { files } = await send("GET /files/share/{shortId}", { shortId: sender.shortId });
    if (files?.every(({ uploading }) => uploading)) await deleteShare(sender);
  } catch (error) {
    if (!(error instanceof EndedError)) throw error;
  }
}

const isSignedOut = (error: unknown): boolean => error instanceof ApiRefusal && error.status === 401;

/** Calls an operation. Throws an `EndedError`, or like `callApi`. */
async function send<Route extends RouteOf<OperationName>>(route: Route, input: ApiInput<Route>): Promise<ResponseOf<OperationAt<Route>>> {
  try {
    return await callApi(route, input);
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    if (error.status === 404) throw new EndedError("ended");
    // Refused changes of a share that the caller may change have codes of their own.
    if (error.code === "CONFLICT") throw new EndedError("claimed");
    throw error;
  }
}
