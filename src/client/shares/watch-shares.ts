import { AppError, notFound } from "../../errors.ts";
import type { Output } from "../../service/contract.ts";
import { type Polling, poll } from "../server/poll.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { compareSnapshots, ofEndedShare, ofListedShare, ofOpenShare, type ShareEvent, type ShareSnapshot } from "./share-snapshot.ts";
import { shareLinkOf } from "./subject.ts";

type Info = Extract<Output<"getFileInfo">["result"][number], { status: 200 }>;
type Snapshots = ReadonlyMap<string, ShareSnapshot>;

export interface Watching extends Polling {
  readonly api: RemoteApi;
}

/** The requests a minute that watching uses, out of the hundred that a caller has. */
const REQUESTS_PER_MINUTE = 50;
/** The number of shares on one page of the list. */
const LISTED = 200;

/** Yields the events of shares from now on, after the shares themselves, until all have ended. Throws NOT_FOUND for a share that is not open. */
export async function* watchShares(watching: Watching, shortIds: readonly string[]): AsyncGenerator<ShareEvent> {
  const { api, signal } = watching;
  const everyMs = Math.max(watching.everyMs, (shortIds.length * 2 * 60_000) / REQUESTS_PER_MINUTE);
  yield* follow({ ...watching, everyMs, ends: true }, async (before) => {
    const open = shortIds.filter((shortId) => (before.get(shortId)?.state ?? "active") === "active");
    const { result } = await api.call("getFileInfo", { file_code: open.join(",") }, { signal });
    const infos = new Map(result.flatMap((item) => (item.status === 200 ? [[item.filecode, item] as const] : [])));
    const now = new Map(before);
    for (const shortId of open)
      now.set(shortId, await look(api, { shortId, before: before.get(shortId), info: infos.get(shortId), signal }));
    return now;
  });
}

interface Look {
  readonly shortId: string;
  readonly before: ShareSnapshot | undefined;
  readonly info: Info | undefined;
  readonly signal: AbortSignal;
}

async function look(api: RemoteApi, { shortId, before, info, signal }: Look): Promise<ShareSnapshot> {
  try {
    const share = await api.call("getShare", { shortId }, { signal });
    return ofOpenShare(share, info, before?.url ?? (await shareLinkOf(api, shortId)));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "NOT_FOUND") throw error;
    if (before === undefined) throw notFound("share", "Pass its link or short ID.", "or has expired");
    return ofEndedShare(before, info);
  }
}

/** Yields the events of the account's newest shares from now on, including new shares. */
export async function* watchAccount(watching: Watching): AsyncGenerator<ShareEvent> {
  const { api, signal } = watching;
  yield* follow({ ...watching, ends: false }, async (before) => {
    const { data } = await api.call("listShares", { limit: LISTED }, { signal });
    const now = new Map(data.map((item) => [item.shortId, ofListedShare(item)]));
    const missing = [...before.values()].filter(({ shortId, state }) => state === "active" && !now.has(shortId));
    // If the page is full, the oldest shares may be on the next page.
    if (missing.length === 0 || data.length >= LISTED) return now;
    const { data: ended } = await api.call("listShares", { state: "ended", limit: LISTED }, { signal });
    for (const share of missing) {
      const end = ended.find(({ shortId }) => shortId === share.shortId);
      now.set(share.shortId, end === undefined ? { ...share, state: "deleted" } : ofListedShare(end));
    }
    return now;
  });
}

interface Following extends Watching {
  /** Whether to stop when all shares have ended. */
  readonly ends: boolean;
}

/** Yields the events between two polls. */
async function* follow(watching: Following, readSnapshots: (before: Snapshots) => Promise<Snapshots>): AsyncGenerator<ShareEvent> {
  let before: Snapshots = new Map();
  for await (const now of poll(watching, () => readSnapshots(before))) {
    const seen = before;
    before = now;
    for (const share of now.values()) yield* compareSnapshots(seen.get(share.shortId), share);
    if (watching.ends && [...now.values()].every(({ state }) => state !== "active")) return;
  }
}
