import type { AnonymousShare } from "../../client/records/share-records.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import { contract, type RequestInput } from "../../service/contract.ts";
import { describeState, formatDownloads, formatExpiry } from "../client/share-words.ts";
import { defineCommand, type Result, type Terminal } from "../command.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS, type CommandClient, openClient } from "../options/client-options.ts";
import { fromContract } from "../options/from-contract.ts";
import { readPages, toLimit } from "../read-pages.ts";
import { formatTable } from "../terminal/text.ts";

const ofFiles = fromContract(contract.listFiles.input.shape, ["sort", "order", "runId"]);
const ofShares = fromContract(contract.listShares.input.shape, ["state"]);
const ofAll = fromContract(contract.listFiles.input.shape, ["search"]);

export const ls = defineCommand({
  details:
    "With a key, lists a folder of the account, or with --search all of them. Without a key, lists the anonymous shares that were sent from this device, with their present state.",
  args: { FOLDER: { suggests: [], optional: true, help: "A folder's path, such as Reports/2026, or its ID; default: the root" } },
  options: {
    shares: { kind: "flag", help: "List the shares of the account, and not its files" },
    anonymous: { kind: "flag", help: "List the anonymous shares of this device, also with a key" },
    purchases: { kind: "flag", help: "List what was bought on this device, and checkouts that are not paid" },
    ...ofAll.options,
    ...ofFiles.options,
    ...ofShares.options,
    limit: { kind: "text", value: "N", default: "100", help: "Maximum number of files or shares to list" },
    all: { kind: "flag", help: "List all of them" },
    ...CLIENT_OPTIONS,
  },
  settings: [],
  examples: [
    "filehost ls",
    "filehost ls Reports/2026 --sort size",
    "filehost ls --search invoice --json",
    "filehost ls --shares --state expiring",
    "filehost ls --purchases",
  ],
  async run({ args: { FOLDER: folder }, options, terminal }) {
    const { search } = ofAll.read("ls", options);
    const wanted = { folder, search, files: ofFiles.read("ls", options), state: ofShares.read("ls", options).state };
    const count = options.all ? Number.POSITIVE_INFINITY : toLimit(options.limit);
    const ofAccount = [
      ...(folder === undefined ? [] : ["FOLDER"]),
      ...(options.shares ? ["--shares"] : []),
      ...namesOf(wanted.files),
      ...(wanted.state ? ["--state"] : []),
    ];
    if (options.purchases) {
      const others = [...ofAccount, ...(options.anonymous ? ["--anonymous"] : [])];
      if (others[0] !== undefined) throw wrongUse(`${others[0]} is not for purchases. Omit it, or --purchases.`);
      const { listPurchases } = await import("../client/list-purchases.ts");
      return await listPurchases(terminal.env, search ?? "", count);
    }
    if (options.anonymous) {
      if (ofAccount[0] !== undefined) throw wrongUse(`${ofAccount[0]} is for the files of an account, and not with --anonymous.`);
      return await listDevice(terminal.env, { server: undefined, search, count });
    }
    const client = await openClient({ command: "ls", options, terminal }).catch((error: unknown) => {
      // No server is named, but the anonymous shares name their servers.
      if (error instanceof UsageError && ofAccount.length === 0) return undefined;
      throw error;
    });
    if (client === undefined) return await listDevice(terminal.env, { server: undefined, search, count });
    if (!client.hasKey && ofAccount.length === 0) return await listDevice(terminal.env, { server: client.url, search, count });
    if (!options.shares) {
      if (wanted.state) throw wrongUse("--state is for shares. Add --shares.");
      return await listAccount(client, wanted, count);
    }
    const ofFilesOnly = [...(folder === undefined ? [] : ["FOLDER"]), ...namesOf(wanted.files)];
    if (ofFilesOnly[0] !== undefined) throw wrongUse(`${ofFilesOnly[0]} is for files, and not with --shares.`);
    return await listShares(client, { state: wanted.state, search }, count);
  },
});

const wrongUse = (message: string): UsageError => new UsageError(message, "filehost ls --help");
const namesOf = (fields: object): readonly string[] => Object.keys(fields).map((name) => (name === "runId" ? "--run-id" : `--${name}`));

interface Wanted {
  readonly folder: string | undefined;
  readonly search?: string | undefined;
  readonly files: Pick<RequestInput<"listFiles">, "sort" | "order" | "runId">;
}

async function listAccount(
  { api, url: server }: CommandClient,
  { folder, search, files: { runId, ...order } }: Wanted,
  count: number,
): Promise<Result> {
  const [{ getFolder, listAllFolders, sizeWithBelow }, { listAccountFiles, listRunFiles }] = await Promise.all([
    import("../../client/shares/account-folders.ts"),
    import("../../client/shares/list-account.ts"),
  ]);
  if (runId !== undefined && (folder ?? search) !== undefined)
    throw wrongUse("--run-id lists all files of a run: omit FOLDER and --search.");
  // A search without a folder searches all folders.
  const found = folder === undefined ? undefined : await getFolder(api, folder);
  const folderId = found === undefined ? (search === undefined ? "null" : undefined) : (found.id ?? "null");
  const { files, folders, total } =
    runId === undefined ? await listAccountFiles(api, { folderId, search, ...order }, count) : await listRunFiles(api, runId, count);
  // The API counts the files directly in a folder.
  const all = folders.length === 0 ? [] : await listAllFolders(api);
  const rows = [
    ...folders.map(({ id, name, total_size: size = 0, ...folder }) => [
      id,
      formatSize(sizeWithBelow(all, { ...folder, id, name, total_size: size })),
      "-",
      "-",
      "folder",
      "-",
      `${name}/`,
    ]),
    ...files.map((file) => [
      file.id,
      formatSize(file.size),
      formatExpiry(file.expiresAt),
      formatDownloads(file.downloads),
      describeState({ ...file, state: file.status }),
      file.shareUrl,
      file.name,
    ]),
  ];
  const more = total > files.length ? [`${files.length} of ${countOf(total, "file")}. To list all: --all`] : [];
  return {
    data: {
      folders,
      files: files.map(({ url: downloadUrl, shareUrl: url, ...file }) => ({
        ...UNKNOWN,
        ...file,
        ...{ url, downloadUrl, server, fileIds: [file.id] },
      })),
      total,
    },
    text: formatTable(["ID", ...HEADINGS], rows, "No files found."),
    notes: more,
  };
}

/** What `--json` shows of files of the account or of shares of this device only, as null for the others. */
const UNKNOWN = {
  ...{
    id: null,
    downloadUrl: null,
    mimeType: null,
    encrypted: null,
    sha256: null,
    runId: null,
    failureReason: null,
    scanned: null,
    linkCount: null,
    links: null,
    uploading: null,
  },
  ...{
    folderId: null,
    visibility: null,
    requestId: null,
    isBlocklisted: null,
    immutable: null,
    thumbnailUrl: null,
    error: null,
    errorCode: null,
  },
};

const HEADINGS = ["SIZE", "EXPIRES", "DOWNLOADS", "STATE", "LINK", "NAME"];

async function listShares(
  { api }: CommandClient,
  input: Pick<RequestInput<"listShares">, "state" | "search">,
  count: number,
): Promise<Result> {
  const shares = await readPages(count, (page) => api.call("listShares", { ...input, ...page }));
  const rows = shares.map((share) => [
    formatSize(share.size),
    formatExpiry(share.expiresAt),
    formatDownloads(share.downloads, share.maxDownloads),
    describeState(share),
    share.shareUrl,
    nameOf(share),
  ]);
  const more = shares.length === count ? [`The first ${count}. To list all: --all`] : [];
  return { data: shares, text: formatTable(HEADINGS, rows, "No shares found."), notes: more };
}

const nameOf = ({
  title,
  name,
  files,
}: {
  readonly title: string | null;
  readonly name: string | null;
  readonly files: number;
}): string => {
  const first = title ?? name ?? "(no files)";
  return files > 1 ? `${first} (${files} files)` : first;
};

interface DeviceList {
  /** The server of the shares; undefined for all servers. */
  readonly server: string | undefined;
  readonly search?: string | undefined;
  readonly count: number;
}

const MAX_EXPIRED = 20;

/**
 * Lists the shares of this device. Requests also those that this device believes to have expired, because somebody may have extended them on their
 * page.
 */
async function listDevice(env: Terminal["env"], { server, search = "", count }: DeviceList): Promise<Result> {
  const [{ isAtServer }, { openShareRecords }, { describeDeviceShares }] = await Promise.all([
    import("../../client/server/server-address.ts"),
    import("../../client/records/share-records.ts"),
    import("../../client/records/device-shares.ts"),
  ]);
  const isWanted = (name: string): boolean => name.toLowerCase().includes(search.toLowerCase());
  const records = openShareRecords(env);
  const isListed = (share: AnonymousShare): boolean => isWanted(share.name) && (server === undefined || isAtServer(share, server));
  const expired = (await records.listExpired()).filter(isListed).slice(0, MAX_EXPIRED);
  const { shares: present } = await describeDeviceShares(expired);
  const extended = present.filter(({ state }) => state === "active");
  for (const { server, shortId, expiresAt } of extended) await records.update({ server, shortId }, { expiresAt });
  const remembered = (await records.list()).filter(isListed);
  const { shares, failed } = await describeDeviceShares(remembered.slice(0, count));
  const rows = shares.map((share) => [
    formatSize(share.sizeBytes),
    // The expiry of an unfinished upload is not known yet.
    share.uploading && share.expiresAt === null ? "-" : formatExpiry(share.expiresAt),
    formatDownloads(share.downloads),
    describeState(share),
    share.url,
    share.name,
  ]);
  const more = remembered.length > shares.length ? [`${shares.length} of ${countOf(remembered.length, "share")}. To list all: --all`] : [];
  const [first] = failed;
  return {
    data: { folders: [], files: shares.map((share) => ({ ...UNKNOWN, ...share, isAnonymous: true })), total: remembered.length },
    text: formatTable(HEADINGS, rows, "This device remembers no anonymous shares."),
    important: failed.map(({ server, error }) => `${server} could not be asked: ${error.message}`),
    notes: more,
    exitCode: first?.error.exitCode ?? 0,
  };
}
