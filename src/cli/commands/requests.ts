import type { RemoteApi } from "../../client/server/remote-api.ts";
import type { OwnKey } from "../../client/shares/identity-file.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import { contract, type Output } from "../../service/contract.ts";
import { describeScan } from "../client/share-words.ts";
import { defineCommand, type Result } from "../command.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS, openClient } from "../options/client-options.ts";
import { fromContract } from "../options/from-contract.ts";
import { toLimit } from "../read-pages.ts";
import { alignColumns, formatFacts, formatTable, formatTime, toPlain } from "../terminal/text.ts";

type Request = Output<"createRequest">;

const SETTINGS = ["message", "maxFiles", "maxFileBytes", "maxBytes", "expiresAt", "once", "notify", "protect"] as const;
const created = fromContract(contract.createRequest.input.shape, [...SETTINGS, "encryptTo"]);
const changed = fromContract(contract.updateRequest.input.shape, ["title", ...SETTINGS], {
  negatable: true,
  removable: ["message", "maxFileBytes"],
});
const listed = fromContract(contract.listRequests.input.shape, ["state"]);

const FOLDER = {
  kind: "text",
  value: "FOLDER",
  // No folder of this machine.
  suggests: [],
  help: "The folder of your account for the files: its path, such as Reports/2026, which is made if it is missing, or its ID",
} as const;

const REQUEST = { help: "The request's ID" } as const;
const STATES = { open: "open", usedUp: "used up", expired: "expired", closed: "closed" } as const;

export const requestsList = defineCommand({
  options: {
    ...listed.options,
    limit: { kind: "text", value: "N", default: "100", help: "Maximum number of requests to list" },
    ...CLIENT_OPTIONS,
  },
  settings: [],
  examples: ["filehost requests list --state open"],
  async run({ options, terminal }) {
    const { api } = await openClient({ command: "requests list", options, terminal });
    const { readAllPages } = await import("../../client/server/read-pages.ts");
    const state = listed.read("requests list", options);
    const requests = await readAllPages(async (page) => {
      const { data, pagination } = await api.call("listRequests", { ...state, ...page });
      return { items: data, pagination };
    }, toLimit(options.limit));
    const rows = requests.map((one) => [
      one.id,
      STATES[one.state],
      `${one.receivedFiles} of ${one.maxFiles}`,
      formatSize(one.receivedBytes),
      formatTime(one.expiresAt),
      one.requestUrl,
      one.title,
    ]);
    return { data: requests, text: formatTable(["ID", "STATE", "FILES", "SIZE", "EXPIRES", "LINK", "TITLE"], rows, "No requests found.") };
  },
});

export const requestsCreate = defineCommand({
  args: { TITLE: { help: "What you ask for, shown to senders" } },
  options: {
    ...created.options,
    "encrypt-to": { ...created.options["encrypt-to"], value: "KEY" },
    identity: {
      kind: "text",
      value: "FILE",
      help: "Senders encrypt to the age key in this file, which is created if it is missing; keep it: nobody else can decrypt",
    },
    folder: { ...FOLDER, empty: "removes", help: `${FOLDER.help}; an empty text: none; default: a new one, named by the title` },
    ...CLIENT_OPTIONS,
  },
  settings: [],
  examples: [
    "filehost requests create 'Photos of the party'",
    "filehost requests create 'The signed contract' --once --protect --max-files 1",
    "filehost requests create 'Medical records' --identity my-key.txt",
  ],
  async run({ args: { TITLE: title }, options, terminal }) {
    const fields = created.read("requests create", options);
    if (options.identity !== undefined && fields.encryptTo != null)
      throw new UsageError("Pass --encrypt-to or --identity, not both.", "filehost requests create --help");
    const { api } = await openClient({ command: "requests create", options, terminal });
    const key = options.identity === undefined ? undefined : await readKey(options.identity);
    const folder = await readFolder(api, options.folder);
    const request = await api.call("createRequest", { title, ...fields, ...(key && { encryptTo: key.recipient }), ...folder });
    const { notes = [], ...described } = describe(request);
    return {
      ...described,
      notes: key?.isNew ? [...notes, `A new key is in ${options.identity}. Keep it: only it decrypts the files.`] : notes,
    };
  },
});

export const requestsShow = defineCommand({
  args: { ID: REQUEST },
  options: CLIENT_OPTIONS,
  settings: [],
  examples: ["filehost requests show 0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"],
  async run({ args: { ID: id }, options, terminal }) {
    const { api } = await openClient({ command: "requests show", options, terminal });
    const { submissions, ...request } = await api.call("getRequest", { id });
    const received = submissions.map(({ senderName, senderNote, createdAt, files }) => {
      const rows = files.map((file) => [file.id, formatSize(file.size), describeScan(file), file.name]);
      const note =
        senderNote === null
          ? ""
          : senderNote
              .split("\n")
              .map((line) => `  ${toPlain(line)}\n`)
              .join("");
      return `\n${toPlain(senderName ?? "Without a name")}, ${formatTime(createdAt)}\n${note}${alignColumns(rows, "  ")}`;
    });
    return { data: { ...request, submissions }, text: formatRequest(request) + received.join("") };
  },
});

export const requestsChange = defineCommand({
  args: { ID: REQUEST },
  options: {
    ...changed.options,
    folder: { ...FOLDER, empty: "removes", help: `${FOLDER.help}; an empty text removes it` },
    ...CLIENT_OPTIONS,
  },
  settings: [],
  examples: ["filehost requests change 0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e --max-files 200 --no-protect"],
  async run({ args: { ID: id }, options, terminal }) {
    const fields = changed.read("requests change", options);
    const { api } = await openClient({ command: "requests change", options, terminal });
    return describe(await api.call("updateRequest", { id, ...fields, ...(await readFolder(api, options.folder)) }));
  },
});

export const requestsClose = defineCommand({
  args: { ID: REQUEST },
  options: { undo: { kind: "flag", help: "Open it again" }, ...CLIENT_OPTIONS },
  settings: [],
  examples: ["filehost requests close 0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"],
  async run({ args: { ID: id }, options, terminal }) {
    const { api } = await openClient({ command: "requests close", options, terminal });
    return describe(await api.call("updateRequest", { id, closed: !options.undo }));
  },
});

export const requestsRotate = defineCommand({
  args: { ID: REQUEST },
  options: CLIENT_OPTIONS,
  settings: [],
  examples: ["filehost requests rotate 0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"],
  async run({ args: { ID: id }, options, terminal }) {
    const { api } = await openClient({ command: "requests rotate", options, terminal });
    return describe(await api.call("rotateRequest", { id }));
  },
});

export const requestsDelete = defineCommand({
  args: { ID: REQUEST },
  options: { yes: { kind: "flag", help: "Do not ask" }, ...CLIENT_OPTIONS },
  settings: [],
  examples: ["filehost requests delete 0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"],
  async run({ args: { ID: id }, options, terminal }) {
    const { api } = await openClient({ command: "requests delete", options, terminal });
    if (!options.yes && terminal.canAsk) {
      const { title } = await api.call("getRequest", { id });
      if (!(await terminal.confirm(toPlain(`Delete the request "${title}"? Its files stay.`)))) return nothingDeleted();
    }
    const deleted = await api.call("deleteRequest", { id });
    return { data: deleted, text: alignColumns([[deleted.id]]) };
  },
});

async function readKey(path: string): Promise<OwnKey> {
  const { openIdentityFile } = await import("../../client/shares/identity-file.ts");
  return await openIdentityFile(path);
}

/** Finds or makes the folder of an option. An empty text, and the root, are no folder. */
async function readFolder(api: RemoteApi, folder: string | undefined): Promise<{ readonly folderId?: string | null }> {
  if (folder === undefined) return {};
  if (folder === "") return { folderId: null };
  const { ensureFolder } = await import("../../client/shares/account-folders.ts");
  return { folderId: (await ensureFolder(api, folder)).id };
}

const nothingDeleted = (): Result => ({ data: { id: null }, text: "", notes: ["Nothing was deleted."], exitCode: 6 });

function describe(request: Request): Result {
  const notes = request.unlockCode === undefined ? [] : ["The unlock code is shown only once: save it now."];
  return { data: request, text: formatRequest(request), notes };
}

function formatRequest(request: Request): string {
  return formatFacts([
    ["link", request.requestUrl],
    ["id", request.id],
    ["title", request.title],
    ["message", request.message],
    ["state", STATES[request.state]],
    ["encrypted to", request.encryptTo],
    ["unlock code", request.unlockCode ?? (request.unlockRequired ? "required" : null)],
    ["files", `${request.receivedFiles} of ${request.maxFiles}`],
    ["size", `${formatSize(request.receivedBytes)} of ${formatSize(request.maxBytes)}`],
    ["largest file", request.maxFileBytes === null ? null : formatSize(request.maxFileBytes)],
    ["one sender", request.once ? "yes" : null],
    ["folder", request.folderId],
    ["expires", formatTime(request.expiresAt)],
  ]);
}
