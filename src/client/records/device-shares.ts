import { AppError } from "../../errors.ts";
import type { Output } from "../../service/contract.ts";
import { createRemoteApi, type RemoteApi } from "../server/remote-api.ts";
import type { AnonymousShare } from "./share-records.ts";

/** What may be shown of a remembered share: none of its tokens and keys. */
const SHOWN = ["server", "shortId", "url", "name", "sizeBytes", "createdAt", "expiresAt", "fileIds"] as const;
type ShownShare = Pick<AnonymousShare, (typeof SHOWN)[number]>;

const toShown = (share: AnonymousShare): ShownShare =>
  Object.fromEntries(SHOWN.map((name) => [name, share[name]])) as unknown as ShownShare;

/** An anonymous share of this device as its server sees it now. */
export interface DeviceShare extends ShownShare {
  /** `gone`: the server does not know it; `unknown`: the server could not be asked. */
  readonly state: "active" | "expired" | "deleted" | "dmca_removed" | "gone" | "unknown";
  /** Null until it is known. */
  readonly downloads: number | null;
  readonly unlockRequired: boolean | null;
  /** Null unless the share is active. */
  readonly scanStatus: Info["scanStatus"];
  readonly uploading: boolean | null;
  /** Why the state is unknown. */
  readonly error: string | null;
  readonly errorCode: string | null;
}

type Info = Extract<Output<"getFileInfo">["result"][number], { status: 200 }>;

interface DeviceShares {
  readonly shares: readonly DeviceShare[];
  /** Why a server could not be asked. */
  readonly failed: readonly { readonly server: string; readonly error: AppError }[];
}

/** `GET /files/info` takes so many codes. */
const CODES = 50;

/** Asks the servers of the shares for their state, without a key and in few requests. A server that cannot be asked makes its shares `unknown`. */
export async function describeDeviceShares(shares: readonly AnonymousShare[]): Promise<DeviceShares> {
  const servers = [...new Set(shares.map(({ server }) => server))];
  const failed: { readonly server: string; readonly error: AppError }[] = [];
  const infos = new Map<string, Info>();
  await Promise.all(
    servers.map(async (server) => {
      const codes = shares.filter((share) => share.server === server).map(({ shortId }) => shortId);
      try {
        for (const info of await findInfos(openAnonymously(server), codes)) infos.set(`${server} ${info.filecode}`, info);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        failed.push({ server, error });
      }
    }),
  );
  const errorOf = (share: AnonymousShare): AppError | undefined => failed.find(({ server }) => server === share.server)?.error;
  return {
    shares: shares.map((share) => describe(share, infos.get(`${share.server} ${share.shortId}`), errorOf(share))),
    failed,
  };
}

/** The API of a server for a caller without a key. */
const openAnonymously = (url: string): RemoteApi => createRemoteApi({ url, key: () => undefined, account: () => "" });

function describe(share: AnonymousShare, info: Info | undefined, error: AppError | undefined): DeviceShare {
  const { fileIds, name } = share;
  const isActive = info?.status_field === "active";
  return {
    ...toShown(share),
    // A shipment has no name of its own, and a protected one hides its title.
    ...(isActive && {
      name: info.title ?? (fileIds.length === 1 && info.name !== "" ? info.name : name),
      sizeBytes: Number(info.size),
      expiresAt: info.expiresAt,
    }),
    state: info?.status_field ?? (error === undefined ? "gone" : "unknown"),
    downloads: info === undefined ? null : Number(info.download),
    unlockRequired: info?.unlockRequired ?? null,
    scanStatus: info?.scanStatus ?? null,
    uploading: isActive ? info.uploading : null,
    error: error?.message ?? null,
    errorCode: error?.code ?? null,
  };
}

async function findInfos(api: RemoteApi, shortIds: readonly string[]): Promise<readonly Info[]> {
  const found: Info[] = [];
  for (let start = 0; start < shortIds.length; start += CODES) {
    const { result } = await api.call("getFileInfo", { file_code: shortIds.slice(start, start + CODES).join(",") });
    for (const item of result) if (item.status === 200) found.push(item);
  }
  return found;
}
