import { AppError } from "../../errors.ts";
import type { Output } from "../../service/contract.ts";
import { createRemoteApi, type RemoteApi } from "../server/remote-api.ts";
import type { AnonymousShare } from "./share-records.ts";

/** The fields of a remembered share that may be shown. They exclude its tokens and keys. */
const SHOWN = ["server", "shortId", "url", "name", "sizeBytes", "createdAt", "expiresAt", "fileIds"] as const;
type ShownShare = Pick<AnonymousShare, (typeof SHOWN)[number]>;

const toShown = (share: AnonymousShare): ShownShare =>
  Object.fromEntries(SHOWN.map((name) => [name, share[name]])) as unknown as ShownShare;

/** An anonymous share of this device, in the state that its server reports. */
export interface DeviceShare extends ShownShare {
  /** `gone`: the server does not know the share; `unknown`: the server could not be asked. */
  readonly state: "active" | "expired" | "used_up" | "deleted" | "dmca_removed" | "gone" | "unknown";
  /** The number of downloads; null if it is not known. */
  readonly downloads: number | null;
  readonly unlockRequired: boolean | null;
  readonly unlockKind: Info["unlockKind"] | null;
  /** The result of the scan; null unless the share is active. */
  readonly scanStatus: Info["scanStatus"];
  readonly uploading: boolean | null;
  /** The reason why the state is unknown. */
  readonly error: string | null;
  readonly errorCode: string | null;
}

type Info = Extract<Output<"getFileInfo">["result"][number], { status: 200 }>;

interface DeviceShares {
  readonly shares: readonly DeviceShare[];
  /** Servers that could not be asked, each with its error. */
  readonly failed: readonly { readonly server: string; readonly error: AppError }[];
}

/** The number of codes that one `GET /files/info` accepts. */
const CODES = 50;

/** Asks the servers of the shares for their state, without a key and in few requests. The shares of a server that cannot be asked are `unknown`. */
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

/** Opens the API of a server for a caller without a key. */
const openAnonymously = (url: string): RemoteApi => createRemoteApi({ url, key: () => undefined, account: () => "" });

function describe(share: AnonymousShare, info: Info | undefined, error: AppError | undefined): DeviceShare {
  const { fileIds, name } = share;
  const isActive = info?.status_field === "active";
  return {
    ...toShown(share),
    // A shipment has no name, and a protected one hides its title.
    ...(isActive && {
      name: info.title ?? (fileIds.length === 1 && info.name !== "" ? info.name : name),
      sizeBytes: Number(info.size),
      expiresAt: info.expiresAt,
    }),
    state: info?.isUsedUp ? "used_up" : (info?.status_field ?? (error === undefined ? "gone" : "unknown")),
    downloads: info === undefined ? null : Number(info.download),
    unlockRequired: info?.unlockRequired ?? null,
    unlockKind: info?.unlockKind ?? null,
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
