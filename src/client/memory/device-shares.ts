import { AppError } from "../../errors.ts";
import type { Output } from "../../service/contract.ts";
import { createRemoteApi, type RemoteApi } from "../server/remote-api.ts";
import type { AnonymousShare } from "./share-memory.ts";

/** What may be shown of a remembered share: none of its tokens and keys. */
const SHOWN = ["server", "shortId", "url", "name", "sizeBytes", "createdAt", "expiresAt", "fileIds"] as const;
type ShownShare = Pick<AnonymousShare, (typeof SHOWN)[number]>;

const toShown = (share: AnonymousShare): ShownShare =>
  Object.fromEntries(SHOWN.map((name) => [name, share[name]])) as unknown as ShownShare;

/** An anonymous share of this device as its server sees it now. */
export interface DeviceShare extends ShownShare {
  /** `gone`: the server does not know it; `unknown`: no response from the server. */
  readonly state: "active" | "expired" | "deleted" | "dmca_removed" | "gone" | "unknown";
  /** Null until it is known. */
  readonly downloads: number | null;
  readonly unlockRequired: boolean | null;
  /** Known for the newest shares only; null for the others. */
  readonly scanStatus: Output<"getShare">["scanStatus"] | null;
  readonly uploading: boolean | null;
}

/** `GET /files/info` takes so many codes, each of which counts as a request. */
const CODES = 50;
/** Shares whose scan is asked for: a check rarely takes longer than the next uploads. */
const NEWEST = 20;

/** Asks the servers of the shares for their state, without a key. A server that does not respond makes its shares `unknown`. */
export async function describeDeviceShares(shares: readonly AnonymousShare[], signal?: AbortSignal): Promise<readonly DeviceShare[]> {
  const servers = [...new Set(shares.map(({ server }) => server))];
  const described = await Promise.all(
    servers.map((server) =>
      describeAt(
        openAnonymously(server),
        shares.filter((share) => share.server === server),
        signal,
      ),
    ),
  );
  const found = new Map(described.flat().map((share) => [`${share.server} ${share.shortId}`, share]));
  return shares.flatMap(({ server, shortId }) => found.get(`${server} ${shortId}`) ?? []);
}

/** The API of a server for a caller without a key. */
const openAnonymously = (url: string): RemoteApi => createRemoteApi({ url, key: () => undefined, account: () => "" });

async function describeAt(
  api: RemoteApi,
  shares: readonly AnonymousShare[],
  signal: AbortSignal | undefined,
): Promise<readonly DeviceShare[]> {
  const infos = await findInfos(api, shares, signal).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
  const active = shares.filter(({ shortId }) => infos?.get(shortId)?.status_field === "active").slice(0, NEWEST);
  const details = new Map(await Promise.all(active.map(async ({ shortId }) => [shortId, await findShare(api, shortId, signal)] as const)));
  return shares.map((share) => {
    const info = infos?.get(share.shortId);
    const now = details.get(share.shortId);
    return {
      ...toShown(share),
      ...(now && { name: nameOf(now, share), sizeBytes: now.size_bytes, expiresAt: now.expires_at }),
      state: infos === undefined ? "unknown" : (info?.status_field ?? "gone"),
      downloads: info === undefined ? null : Number(info.download),
      unlockRequired: info?.unlockRequired ?? null,
      scanStatus: now?.scanStatus ?? null,
      uploading: now?.uploading ?? null,
    };
  });
}

/** A shipment has no name of its own, and a protected one hides its title. */
const nameOf = (now: Output<"getShare">, { name }: ShownShare): string => (now.kind === "shipment" ? (now.title ?? name) : now.name);

type Info = Extract<Output<"getFileInfo">["result"][number], { status: 200 }>;

async function findInfos(
  api: RemoteApi,
  shares: readonly AnonymousShare[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, Info>> {
  const found = new Map<string, Info>();
  for (let start = 0; start < shares.length; start += CODES) {
    const codes = shares.slice(start, start + CODES).map(({ shortId }) => shortId);
    const { result } = await api.call("getFileInfo", { file_code: codes.join(",") }, { signal });
    for (const item of result) if (item.status === 200) found.set(item.filecode, item);
  }
  return found;
}

/** Undefined for a share that has ended meanwhile, and without a response. */
const findShare = (api: RemoteApi, shortId: string, signal: AbortSignal | undefined): Promise<Output<"getShare"> | undefined> =>
  api.call("getShare", { shortId }, { signal }).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
